import { FUNCTION_NAME, FUNCTIONS_PATH } from '../../contract/contact-message.ts';
import { publicAddress } from '../../publish/placeholders.ts';
import type { Settings } from '../../settings/settings.ts';
import { about, type Check, type Finding } from './check.ts';
import { type Answered, ask, parseJson, unreachable } from './web.ts';

const subject = about('messages', 'form', 'Contact form');

/** Posts an empty message, as visitors would. It's refused because it has no name, and not stored. */
export const form: Check = {
  about: subject,
  needs: ['SITE_URL', 'VITE_SUPABASE_URL', 'VITE_SUPABASE_ANON_KEY'],
  // Without a public address, the form posts to the local server, which has its own check.
  when: (settings) => publicAddress(settings) !== undefined || settings.supabaseUrl !== undefined,
  run: async ({ settings, ownUrl }, signal) => {
    const url = formAddress(settings, ownUrl);
    const answer = await ask(url, signal, { method: 'POST', headers: formHeaders(settings), body: '{}' });
    return [describeForm(answer, url, settings)];
  },
};

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

export function describeForm(answer: Answered, address: string, settings: Settings): Finding {
  const url = new URL(address);
  if ('failed' in answer) return unreachable(subject, url, answer.failed);
  const { host } = url;
  const { status, headers, text } = answer;
  if (typeof parseJson(text).field === 'string' && status >= 400 && status < 500) {
    const page = settings.siteUrl ? new URL(settings.siteUrl).origin : url.origin;
    const allowed = headers.get('access-control-allow-origin') ?? '';
    return page === url.origin || ['*', page].includes(allowed)
      ? subject.ok(`${host} takes visitors’ messages.`)
      : subject.wrong(
          `${host} does not let browsers send from ${page}.`,
          `Add ${page} to ALLOWED_ORIGINS there.`,
        );
  }
  if (status >= 300 && status < 400) {
    return subject.wrong(
      `${host} redirects the form to ${headers.get('location')}, and messages get lost on the way.`,
      `Write the last address into ${settings.supabaseUrl ? 'VITE_SUPABASE_URL' : 'SITE_URL'}, with its https:// and with or without www, then build again: npm start`,
    );
  }
  if (status === 401) {
    const todo = 'Copy the project’s public key into VITE_SUPABASE_ANON_KEY, then build again: npm start';
    return subject.wrong(`${host} refuses the page’s key.`, todo);
  }
  if (status === 403) {
    const todo =
      'Add the address of your page (without a path) to ALLOWED_ORIGINS, or leave that setting empty.';
    return subject.wrong(`${host} refuses messages from the page’s own address.`, todo);
  }
  if (status === 429)
    return subject.look(`${host} has had too many messages from here.`, 'Try again in a few minutes.');
  if (status === 404 || status === 405) {
    const todo = settings.supabaseUrl
      ? 'Deploy the function to your project: see docs/deploy-static.md.'
      : `Have your web server pass ${FUNCTIONS_PATH} on to this program: see docs/deploy.md.`;
    return subject.wrong(`${host} has no function ${FUNCTION_NAME}, so visitors can’t send anything.`, todo);
  }
  const todo = 'Read the log of that server, and of the web server in front of it.';
  return subject.wrong(
    `${host} answers the form with code ${status}, so visitors can’t send anything.`,
    todo,
  );
}
