import { clean } from '../../contract/clean.ts';
import { eachField, HONEYPOT_FIELD, MOST_BYTES, SENT_ANCHOR } from '../../contract/contact-message.ts';
import type { Sentences } from '../../contract/refusal-sentences.ts';
import { TOPICS_FIELD, topicLine } from '../../contract/topics.ts';
import type { Settings } from '../../settings/settings.ts';
import { fillNotSentPage, plainNotSentPage, type Typed } from './not-sent-page.ts';
import type { Sender } from './origins.ts';
import { PLAIN, readForm } from './read-form.ts';
import { type Refusal, refusal } from './refusal-answers.ts';
import { contentType, isCompressed, readBody } from './request-body.ts';
import type { Pages } from './static-files.ts';
import type { Submission, Submit } from './submit.ts';

/** Form encoding takes up to three bytes per byte (`%C3`). */
const RAW_LIMIT = 3 * MOST_BYTES;
/** There are five on our page, and nobody's titles are longer. */
const MOST_TOPICS = 20;
const LONGEST_TOPIC = 200;

type Options = {
  sender: Sender;
  settings: Pick<Settings, 'siteUrl'>;
  pages: Pages | undefined;
  sentences: Sentences;
  /** Whether the page is on a different host than the function. */
  isElsewhere: boolean;
  submit: (what: Pick<Submission, 'typed' | 'form'>) => ReturnType<Submit>;
};

/**
 * The form as browsers post it without JavaScript: there's no key, and the response is a page. That's also so on
 * failure, since only this request has what the visitor typed. Undefined if it's no form after all.
 */
export async function answerForm(
  request: Request,
  { sender, settings, pages, sentences, isElsewhere, submit }: Options,
): Promise<Response | undefined> {
  const { headers } = request;
  if (isCompressed(headers)) return lost('type');
  const body = await readBody(request, RAW_LIMIT);
  if (body === 'too large') return lost('tooLarge');
  if (body === 'broken off') return lost('badJson');
  const isPlain = contentType(headers) === PLAIN;
  const form = await readForm(body, headers);
  if (!form) return isPlain ? undefined : lost('badJson');

  const { fields, isDecoded } = form;
  const typed = { ...eachField((field) => fields.get(field) ?? ''), topics: topicsIn(fields) };
  // Where lines and equals signs end can't be told for certain, nor what letters in an unknown charset are.
  if (isPlain || !isDecoded) return notSent(refusal('type', sentences), typed);
  // Nothing typed stays nothing, so that it gets the usual error.
  const line = clean('message', typed.message) && topicLine(sentences.topics, typed.topics);
  const answer = await submit({
    typed: { ...typed, message: line + typed.message },
    form: { trap: !!fields.get(HONEYPOT_FIELD) },
  });
  if (!('id' in answer)) return notSent(answer, typed);
  // A page on another host is at SITE_URL; ours is wherever the browser already is.
  const page = isElsewhere || sender.kind === 'allowed' ? (settings.siteUrl ?? '') : '';
  return new Response(null, { status: 303, headers: { location: `${page}/#${SENT_ANCHOR}` } });

  function lost(reason: 'type' | 'tooLarge' | 'badJson'): Response {
    const refused = refusal(reason, sentences);
    return notSent({ ...refused, error: `${refused.error} ${sentences.goBack}` });
  }

  function notSent(refused: Refusal, typed?: Typed): Response {
    const page = pages?.notSent(typed, refused) ?? {
      html: fillNotSentPage(plainNotSentPage(`${settings.siteUrl ?? ''}/`, sentences), typed, refused),
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

function topicsIn(fields: URLSearchParams): string[] {
  const topics = fields.getAll(TOPICS_FIELD).slice(0, MOST_TOPICS);
  const titles = topics.map((topic) => clean('name', topic.slice(0, LONGEST_TOPIC)));
  return [...new Set(titles)].filter((title) => title !== '');
}
