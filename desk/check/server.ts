import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { FUNCTION_NAME, FUNCTIONS_PATH } from '../../contract/contact-message.ts';
import { DIST, isPublished, publicAddress } from '../../publish/publish.ts';
import type { Settings } from '../../settings/settings.ts';
import { about, type Check, type Context, type Finding, fieldOf } from './finding.ts';
import { type Answered, ask, parseJson, unreachable } from './web.ts';

const subject = about('server', 'server', 'Server');
const page = about('server', 'page', 'The page');
const form = about('server', 'form', 'Contact form');

/** Whether a server here takes messages, shows the page as it's published, and the form's address leads to it. */
export const server: Check = {
  needs: ['HOST', 'PORT', 'SITE_URL', 'VITE_SUPABASE_URL', 'VITE_SUPABASE_ANON_KEY'],
  run: async (context, signal) => {
    const { settings, ownUrl } = context;
    return [
      await checkServer(context, signal),
      await checkPage(context, signal, DIST),
      // Without a public address, the form posts to the server here.
      ...(publicAddress(settings) || settings.supabaseUrl ? [await checkForm(settings, ownUrl, signal)] : []),
    ];
  },
};

async function checkServer({ ownUrl, settings }: Context, signal: AbortSignal): Promise<Finding> {
  const health = await ask(`${ownUrl}/healthz`, signal);
  if ('failed' in health) {
    if (!settings.supabaseUrl)
      return subject.wrong(`Nothing answers at ${ownUrl} (${health.failed}).`, 'Start it: npm start');
    const { host } = new URL(settings.supabaseUrl);
    return subject.ok(`None runs here, and none is needed: the form sends to ${host}.`);
  }
  if (health.status !== 200 || parseJson(health.text).ok !== true) {
    const todo = 'End that program, or choose another PORT in .env.';
    return subject.wrong(`Another program answers at ${ownUrl}.`, todo);
  }
  const ready = await ask(`${ownUrl}/readyz`, signal);
  if ('text' in ready && ready.status === 200) return subject.ok(`It runs and takes messages at ${ownUrl}.`);
  return subject.wrong(
    'It runs, but takes no messages: its database can’t be written, or it’s about to stop.',
    'Read its log and the lines about database and disk here; then start it again.',
  );
}

export async function checkPage(
  { settings, ownUrl }: Pick<Context, 'settings' | 'ownUrl'>,
  signal: AbortSignal,
  dist: string,
): Promise<Finding> {
  const built = await readFile(join(dist, 'index.html'), 'utf8').catch(() => undefined);
  if (built === undefined) return page.wrong('It hasn’t been built yet.', 'Build and start it: npm start');
  const todo = 'Build it and start it again: npm start';
  // Words that can't be read aren't on the page either.
  if (!(await isPublished(settings, dist).catch(() => false)))
    return page.look('Words, files or settings have changed since it was built.', todo);
  const shown = await ask(`${ownUrl}/`, signal);
  return 'text' in shown && shown.status === 200 && shown.text !== built
    ? page.look('The server still shows the page from before the last build.', todo)
    : page.ok('Built from your words and settings as they are now.');
}

export function formAddress({ siteUrl, supabaseUrl }: Settings, ownUrl: string): string {
  return `${supabaseUrl ?? siteUrl ?? ownUrl}${FUNCTIONS_PATH}/${FUNCTION_NAME}`;
}

/** The headers that the page sends, so that we get the answer that visitors get. */
export function formHeaders({ siteUrl, supabaseAnonKey }: Settings): Record<string, string> {
  return {
    'content-type': 'application/json',
    apikey: supabaseAnonKey,
    ...(siteUrl && { origin: new URL(siteUrl).origin }),
  };
}

/** Posts an empty message, as visitors would. It's refused because it has no name, and not stored. */
export async function checkForm(settings: Settings, ownUrl: string, signal: AbortSignal): Promise<Finding> {
  const url = formAddress(settings, ownUrl);
  const answer = await ask(url, signal, { method: 'POST', headers: formHeaders(settings), body: '{}' });
  return describeForm(answer, url, settings);
}

/** What the answer to a message that wasn't stored means. */
export function describeForm(answer: Answered, address: string, settings: Settings): Finding {
  const url = new URL(address);
  if ('failed' in answer) return unreachable(form, url, answer.failed);
  const { host, origin } = url;
  const { status, headers, text } = answer;
  const location = headers.get('location');
  if (typeof parseJson(text).field === 'string' && status >= 400 && status < 500) {
    const from = settings.siteUrl ? new URL(settings.siteUrl).origin : origin;
    const allowed = headers.get('access-control-allow-origin') ?? '';
    if (from === origin || ['*', from].includes(allowed)) return form.ok(`${host} takes visitors’ messages.`);
    return form.wrong(
      `${host} does not let browsers send from ${from}.`,
      `Add ${from} to ALLOWED_ORIGINS there.`,
    );
  }
  if (location && status >= 300 && status < 400) {
    const setting = settings.supabaseUrl ? 'VITE_SUPABASE_URL' : 'SITE_URL';
    return form.wrong(
      `${host} redirects the form to ${location}, and messages get lost on the way.`,
      `Write the last address into ${setting}, with its https:// and with or without www.`,
      fieldOf(setting),
    );
  }
  switch (status) {
    case 401: {
      const todo = 'Copy the project’s public key into VITE_SUPABASE_ANON_KEY, then build again: npm start';
      return form.wrong(`${host} refuses the page’s key.`, todo);
    }
    case 403: {
      const todo =
        'Add the address of your page (without a path) to ALLOWED_ORIGINS, or leave that setting empty.';
      return form.wrong(`${host} refuses messages from the page’s own address.`, todo);
    }
    case 404:
    case 405: {
      const todo = settings.supabaseUrl
        ? 'Deploy the function to your project: see docs/deploy-static.md.'
        : `Have your web server pass ${FUNCTIONS_PATH} on to this program: see docs/deploy.md.`;
      return form.wrong(`${host} has no function ${FUNCTION_NAME}, so visitors can’t send anything.`, todo);
    }
    default: {
      const todo = 'Read the log of that server, and of the web server in front of it.';
      return form.wrong(
        `${host} answers the form with code ${status}, so visitors can’t send anything.`,
        todo,
      );
    }
  }
}
