import { Buffer } from 'node:buffer';
import type { Context } from 'hono';
import { eachField, FIELD_NAMES, HONEYPOT_FIELD, MOST_BYTES, SENT_ANCHOR } from '../contract/contact.ts';
import { checkMessage } from '../messages/fields.ts';
import type { AppEnv, AppOptions, CheckLimits } from './app.ts';
import { fillNotSentPage, plainNotSentPage, type Typed } from './not-sent-page.ts';
import { senderOf } from './origins.ts';
import { type Refusal, refusals } from './refusals.ts';
import { decodeUtf8, readBody } from './request-body.ts';

/** Form encoding writes one byte as up to three (`%C3`), so what counts is the size of what it says. */
const RAW_LIMIT = 3 * MOST_BYTES;

/**
 * The page's form as a browser sends it without JavaScript: no key, and an answer that is a page. Also
 * when it fails, since all that the visitor typed lives in this one request.
 */
export async function answerForm(
  c: Context<AppEnv>,
  options: AppOptions,
  checkLimits: CheckLimits,
): Promise<Response> {
  const { settings, store, log, clock } = options;
  let typed: Typed = {};
  try {
    const encoding = c.req.header('content-encoding');
    if (encoding && encoding.toLowerCase() !== 'identity') return notSent(refusals.type);
    const body = await readBody(c.req.raw, RAW_LIMIT);
    if (body === 'too large') {
      const error = `${refusals.tooLarge.error} Your browser’s back button returns to what you wrote.`;
      return notSent({ ...refusals.tooLarge, error });
    }
    const text = body === 'broken off' ? undefined : decodeUtf8(body);
    if (text === undefined) return notSent(refusals.badJson);

    const form = new URLSearchParams(text);
    typed = eachField((field) => form.get(field) ?? '');
    const size = FIELD_NAMES.reduce((sum, field) => sum + Buffer.byteLength(typed[field] ?? ''), 0);
    if (size > MOST_BYTES) return notSent(refusals.tooLarge);
    const sender = senderOf(c.req.raw, settings);
    if (sender.kind === 'foreign') return notSent(refusals.origin);
    // Only now, since the refusal must give back what was typed.
    const { tooMany, sentBefore } = await checkLimits(c);
    if (tooMany) return notSent(tooMany);
    const checked = checkMessage(typed);
    if (!checked.ok) return notSent({ ...refusals.field, error: checked.error });

    const suspectedSpam = (form.get(HONEYPOT_FIELD) ?? '') !== '';
    try {
      const { duplicate } = await store.add(checked.message, { now: clock(), suspectedSpam, sentBefore });
      if (!duplicate && !suspectedSpam) options.onStored(checked.message);
    } catch (error) {
      log.error({ requestId: c.get('requestId'), err: error }, 'a message could not be stored');
      options.onNotStored(error);
      return notSent(refusals.notStored);
    }
    // A page on another host lives at SITE_URL; ours is where the browser already is.
    const isElsewhere = sender.kind === 'allowed' || options.host !== undefined;
    const page = isElsewhere ? (settings.siteUrl ?? '') : settings.basePath;
    return c.redirect(`${page}/#${SENT_ANCHOR}`, 303);
  } catch (error) {
    log.error({ requestId: c.get('requestId'), err: error }, 'a form post failed for an unforeseen reason');
    return notSent(refusals.unforeseen);
  }

  function notSent(refusal: Refusal): Response {
    const page = options.pages?.notSent(typed, refusal.error) ?? {
      html: fillNotSentPage(
        plainNotSentPage(`${settings.siteUrl ?? ''}/`, settings.basePath),
        typed,
        refusal.error,
      ),
      headers: new Headers({
        'content-security-policy': "default-src 'none'; base-uri 'none'",
      }),
    };
    const headers = new Headers(page.headers);
    headers.set('content-type', 'text/html; charset=utf-8');
    for (const [name, value] of Object.entries(refusal.headers ?? {})) headers.set(name, value);
    return new Response(page.html, { status: refusal.status, headers });
  }
}
