import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { FUNCTION_NAME, FUNCTIONS_PATH } from '../../contract/contact-message.ts';
import { DIST, isPublished, publicAddress } from '../../publish/publish.ts';
import { checkedWords, WordsError } from '../../publish/words.ts';
import type { Settings } from '../../settings/settings.ts';
import { about, type Check, type Finding } from './finding.ts';
import { type Answered, ask, parseJson, unreachable } from './web.ts';

const subject = about('server', 'Server');
const page = about('page', 'The page');
const form = about('form', 'Contact form');

/** Whether a server here takes messages, has the page as it was published, and the form's address leads to it. */
export const server: Check = async ({ settings, ownUrl }) => {
  const { siteUrl, supabaseUrl } = settings;
  const url = supabaseUrl ?? (publicAddress(settings) && siteUrl);
  return [
    ...(supabaseUrl ? [] : [await checkServer(ownUrl)]),
    await checkPage(settings),
    // Without a public address, the form posts to the server here.
    ...(url ? [await checkForm(url, settings)] : []),
  ];
};

async function checkServer(ownUrl: string): Promise<Finding> {
  const ready = await ask(`${ownUrl}/readyz`);
  if ('failed' in ready)
    return subject.wrong(`Nothing answers at ${ownUrl} (${ready.failed}).`, 'Start it: npm start');
  const { ok } = parseJson(ready.text);
  if (ok === true) return subject.ok(`It runs and takes messages at ${ownUrl}.`);
  return ok === false
    ? subject.wrong('It runs, but its database can’t be written.', 'Read the lines about database and disk.')
    : subject.wrong(`Another program answers at ${ownUrl}.`, 'End it, or choose another PORT in .env.');
}

export async function checkPage(settings: Settings, dist = DIST): Promise<Finding> {
  if (!existsSync(join(dist, 'index.html')))
    return page.wrong('It isn’t published yet.', 'Start the site: npm start');
  try {
    if (await isPublished(settings, dist))
      return page.ok('Published with your words and settings as they are now.');
    await checkedWords(settings.wordsDir);
  } catch (error) {
    if (!(error instanceof WordsError)) throw error;
    const todo = 'Mend that, and publish. Until then, visitors see the page as it was.';
    return page.wrong(`It can’t be published: ${error.message}`, todo);
  }
  return page.look('Words or settings have changed since it was published.', 'Publish it.', '/desk/words');
}

export const formAddress = (origin: string) => `${origin}${FUNCTIONS_PATH}/${FUNCTION_NAME}`;

/** The headers that the page sends, so that we get the answer that visitors get. */
export function formHeaders({ siteUrl, supabaseAnonKey }: Settings): Record<string, string> {
  return {
    'content-type': 'application/json',
    apikey: supabaseAnonKey,
    ...(siteUrl && { origin: new URL(siteUrl).origin }),
  };
}

/** Posts an empty message, as visitors would. It's refused because it has no name, and not stored. */
export async function checkForm(origin: string, settings: Settings): Promise<Finding> {
  const init = { method: 'POST', headers: formHeaders(settings), body: '{}' };
  return describeForm(await ask(formAddress(origin), init), origin);
}

const ADVICE: Record<number, string> = {
  401: 'Give the project’s public key as VITE_SUPABASE_ANON_KEY in .env, and publish the page.',
  403: 'Add the address of your page (without a path) to ALLOWED_ORIGINS there, or leave that setting empty.',
  404: 'Have your web server pass /functions/v1 on to this program, or deploy the function to your project.',
};

/** What the answer to a message that wasn't stored means. */
export function describeForm(answer: Answered, origin: string): Finding {
  const url = new URL(origin);
  if ('failed' in answer) return unreachable(form, url, answer.failed);
  const { status, text } = answer;
  if (typeof parseJson(text).field === 'string') return form.ok(`${url.host} takes visitors’ messages.`);
  return form.wrong(
    `${url.host} answers the form with code ${status}, so visitors can’t send anything.`,
    ADVICE[status] ?? 'Read the log of that server, and of the web server in front of it.',
  );
}
