import { eachField, HONEYPOT_FIELD, MOST_BYTES, SENT_ANCHOR } from '../../contract/contact-message.ts';
import type { Sentences } from '../../contract/refusal-sentences.ts';
import type { Settings } from '../../settings/settings.ts';
import { fillNotSentPage, plainNotSentPage, type Typed } from './not-sent-page.ts';
import type { Sender } from './origins.ts';
import { type Refusal, refusal } from './refusal-answers.ts';
import { decodeUtf8, isCompressed, readBody } from './request-body.ts';
import type { Pages } from './static-files.ts';
import type { Submission, Submit } from './submit.ts';

/** Form encoding takes up to three bytes per byte (`%C3`). */
const RAW_LIMIT = 3 * MOST_BYTES;

type Options = {
  sender: Sender;
  settings: Pick<Settings, 'siteUrl' | 'basePath'>;
  pages: Pages | undefined;
  sentences: Sentences;
  /** Whether the page is on a different host than the function. */
  isElsewhere: boolean;
  submit: (what: Pick<Submission, 'typed' | 'form'>) => ReturnType<Submit>;
};

/**
 * The form as browsers post it without JavaScript: there's no key, and the response is a page. That's also so on
 * failure, since only this request has what the visitor typed.
 */
export async function answerForm(
  request: Request,
  { sender, settings, pages, sentences, isElsewhere, submit }: Options,
): Promise<Response> {
  if (isCompressed(request.headers)) return notSent(refusal('type', sentences));
  const body = await readBody(request, RAW_LIMIT);
  if (body === 'too large') {
    const tooLarge = refusal('tooLarge', sentences);
    return notSent({ ...tooLarge, error: `${tooLarge.error} ${sentences.goBack}` });
  }
  const text = body === 'broken off' ? undefined : decodeUtf8(body);
  if (text === undefined) return notSent(refusal('badJson', sentences));

  const form = new URLSearchParams(text);
  const typed = eachField((field) => form.get(field) ?? '');
  const answer = await submit({ typed, form: { trap: !!form.get(HONEYPOT_FIELD) } });
  if (!('id' in answer)) return notSent(answer, typed);
  // A page on another host is at SITE_URL; ours is wherever the browser already is.
  const page = isElsewhere || sender.kind === 'allowed' ? (settings.siteUrl ?? '') : settings.basePath;
  return new Response(null, { status: 303, headers: { location: `${page}/#${SENT_ANCHOR}` } });

  function notSent(refused: Refusal, typed: Typed = {}): Response {
    const page = pages?.notSent(typed, refused) ?? {
      html: fillNotSentPage(
        plainNotSentPage(`${settings.siteUrl ?? ''}/`, settings.basePath, sentences),
        typed,
        refused,
      ),
      headers: new Headers({
        'content-security-policy': "default-src 'none'; base-uri 'none'",
      }),
    };
    const headers = new Headers(page.headers);
    headers.set('content-type', 'text/html; charset=utf-8');
    for (const [name, value] of Object.entries(refused.headers ?? {})) headers.set(name, value);
    return new Response(page.html, { status: refused.status, headers });
  }
}
