import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as v from 'valibot';
import { FUNCTION_NAME, FUNCTIONS_PATH } from '../../contract/contact-message.ts';
import { DIST, isPublished, publicAddress } from '../../publish/publish.ts';
import { checkedWords, WordsError } from '../../publish/words.ts';
import { OF_CERTIFICATES } from '../../server/mail/faults.ts';
import { codeOf } from '../../server/messages/store-error.ts';
import type { Settings } from '../../settings/settings.ts';
import { about, type Check, type Finding, fieldOf, type Subject } from './finding.ts';

const running = about('server', 'Server');
const page = about('page', 'The page');
const form = about('form', 'Contact form');
const shown = about('address', 'Public address');
const ASK_MS = 6_000;
const START = 'Start it: npm start; if deploy/server.sh set it up, systemctl restart blueprint-operations';

/** Whether a server here takes messages, has the page as it was published, and the form's address leads to it. */
export const server: Check = async ({ settings, ownUrl }) => {
  const { supabaseUrl } = settings;
  const url = supabaseUrl ?? publicAddress(settings);
  return [
    ...(supabaseUrl ? [] : [await checkServer(ownUrl)]),
    await checkPage(settings),
    // An empty message is refused because it has no name, and not stored. Without a public address, the form posts here.
    ...(url ? [describeForm(await post(url, settings, {}), url)] : []),
  ];
};

export const address: Check = async ({ settings }) => {
  const siteUrl = publicAddress(settings);
  if (siteUrl) return [await checkAddress(siteUrl, siteUrl, DIST)];
  const todo = 'Give the address that visitors type, with https://.';
  return [shown.look('The page has no address on the internet yet.', todo, fieldOf('SITE_URL'))];
};

async function checkServer(ownUrl: string): Promise<Finding> {
  const ready = await ask(`${ownUrl}/readyz`);
  if ('failed' in ready) return running.wrong(`Nothing answers at ${ownUrl} (${ready.failed}).`, START);
  const { ok } = parseJson(ready.text);
  if (ok === true) return running.ok(`It runs and takes messages at ${ownUrl}.`);
  return ok === false
    ? running.wrong('It runs, but its database can’t be written.', 'Read the lines about database and disk.')
    : running.wrong(`Another program answers at ${ownUrl}.`, 'Stop it, or choose another PORT in .env.');
}

export async function checkPage(settings: Settings, dist = DIST): Promise<Finding> {
  if (!existsSync(join(dist, 'index.html')))
    return page.wrong('It isn’t published yet.', 'Start the site: npm start');
  try {
    if (await isPublished(settings, dist))
      return page.ok('It has your words and settings. What’s in a draft shows once you publish it.');
    await checkedWords(settings.wordsDir);
  } catch (error) {
    if (!(error instanceof WordsError)) throw error;
    const todo = 'Fix that, and publish. Until then, visitors see the page as it was.';
    return page.wrong(`It can’t be published: ${error.message}`, todo);
  }
  return page.look('Words or settings have changed since it was published.', 'Publish it.', '/desk/words');
}

/** @param published the address that the page names @param dist the folder with the published page */
export async function checkAddress(siteUrl: string, published = siteUrl, dist?: string): Promise<Finding> {
  const link = fieldOf('SITE_URL');
  const answer = await askAsVisitor(`${siteUrl}/`);
  if ('failed' in answer) return unreachable(shown, siteUrl, answer.failed);
  const { status, headers, text } = answer;
  if (status >= 300 && status < 400) {
    const todo = 'Give the page’s real address.';
    return shown.look(`${siteUrl} redirects to ${headers.get('location')}.`, todo, link);
  }
  if (status !== 200 || !text.includes(`href="${published}/"`)) {
    const todo =
      'Is the address right, and does your web server pass it on to this site? See docs/deploy.md.';
    return shown.wrong(`${siteUrl} shows something other than this page.`, todo, link);
  }
  if (dist && text !== (await readFile(join(dist, 'index.html'), 'utf8').catch(() => text))) {
    const todo =
      'If you upload dist, upload it again. Turn off whatever changes pages on their way: browsers may refuse a changed page.';
    return shown.look(`${siteUrl} shows this page, but not as it was published.`, todo);
  }
  if (siteUrl.startsWith('https:')) return shown.ok(`${siteUrl} shows this page.`);
  const todo = 'Put a web server with a certificate in front, such as Caddy, and write https://.';
  return shown.look(`${siteUrl} shows this page, but browsers call it “not secure”.`, todo, link);
}

/** Sends a message with the headers that the page sends, so that we get the answer that visitors get. */
export const post = (origin: string, { siteUrl, supabaseAnonKey }: Settings, message: object) =>
  askAsVisitor(`${origin}${FUNCTIONS_PATH}/${FUNCTION_NAME}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      apikey: supabaseAnonKey,
      ...(siteUrl && { origin: siteUrl }),
    },
    body: JSON.stringify(message),
  });

const ADVICE: Record<number, string> = {
  401: 'Give the project’s public key as VITE_SUPABASE_ANON_KEY in .env, and publish the page.',
  403: 'Add the address of your page (without a path) to ALLOWED_ORIGINS there, or leave that setting empty.',
  404: 'Have your web server pass /functions/v1 on to this program, or deploy the function to your project.',
};

/** What the answer to a message that wasn't stored means. */
export function describeForm(answer: Answered, origin: string): Finding {
  if ('failed' in answer) return unreachable(form, origin, answer.failed);
  const { host } = new URL(origin);
  if (typeof parseJson(answer.text).field === 'string') return form.ok(`${host} answers it as it should.`);
  return form.wrong(
    `${host} answers the form with code ${answer.status}, so visitors can’t send anything.`,
    ADVICE[answer.status] ?? 'Read the log of that server, and of the web server in front of it.',
  );
}

/** An answer, or the code of the error in its place, such as `ECONNREFUSED` or `ETIMEDOUT`. */
type Answered = { status: number; headers: Headers; text: string } | { failed: string };

async function ask(url: string, init: RequestInit = {}): Promise<Answered> {
  try {
    const signal = AbortSignal.timeout(ASK_MS);
    const response = await fetch(url, { ...init, redirect: 'manual', signal });
    return { status: response.status, headers: response.headers, text: await response.text() };
  } catch (error) {
    // `fetch` wraps the cause.
    const { name, cause } = error as Error;
    return { failed: name === 'TimeoutError' ? 'ETIMEDOUT' : codeOf(cause) || name };
  }
}

/** A 403 may come from a service in front of the site that turns programs away and lets people through. */
async function askAsVisitor(url: string, init?: RequestInit): Promise<Answered> {
  const answer = await ask(url, init);
  const isTurnedAway = 'status' in answer && answer.status === 403 && !parseJson(answer.text).error;
  return isTurnedAway ? { failed: '403' } : answer;
}

/** Anything but a JSON object gives an empty object. */
export const parseJson = v.parser(
  v.fallback(v.pipe(v.string(), v.parseJson(), v.record(v.string(), v.unknown())), {}),
);

/** What completes a sentence that starts with the host; undefined if the error isn't about its certificate. */
export function certificateFault(code: string): string | undefined {
  if (code === 'CERT_HAS_EXPIRED') return 'shows a certificate that has expired.';
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') return 'shows a certificate for another name.';
  return OF_CERTIFICATES.test(code)
    ? `shows a certificate that no known authority vouches for (${code}).`
    : undefined;
}

function unreachable({ wrong, look }: Subject, url: string, code: string): Finding {
  const { host } = new URL(url);
  const certificate = certificateFault(code);
  if (certificate) return wrong(`${host} ${certificate} Browsers refuse it.`, 'Give that host a valid one.');
  const typo = 'Check it for a typo, and the DNS of that domain. A new name can take some hours.';
  if (code === 'ENOTFOUND') return wrong(`${host} wasn’t found from this machine.`, typo);
  const todo = 'Open the page from another network, such as your phone’s, and send yourself a message.';
  return look(`${host} can’t be checked from this machine (${code}).`, todo);
}
