import { publicAddress } from '../../build/placeholders.ts';
import { FUNCTION_NAME, FUNCTIONS_PATH } from '../../contract/contact.ts';
import type { Settings } from '../../settings/settings.ts';
import { about, type Check, type Finding } from './check.ts';
import { type Answered, ask, certificateFault, parseJson } from './web.ts';

const subject = about('messages', 'form', 'Contact form');

/** The settings by which the form's call finds its way. */
export type FormSettings = Pick<Settings, 'siteUrl' | 'supabaseUrl' | 'supabaseAnonKey'>;

/** Sends an empty form where visitors send theirs. It is refused for its missing name, and nothing is stored. */
export const form: Check = {
  name: 'form',
  about: subject,
  needs: ['SITE_URL', 'VITE_SUPABASE_URL', 'VITE_SUPABASE_ANON_KEY'],
  // Without a public address the form is where the server is, and the line about that says all.
  when: (settings) => publicAddress(settings) !== undefined || settings.supabaseUrl !== undefined,
  run: async ({ settings, ownUrl }, signal) => {
    const url = formAddress(settings, ownUrl);
    const answer = await ask(url, signal, { method: 'POST', headers: formHeaders(settings), body: '{}' });
    return [describeForm(answer, url, settings)];
  },
};

/** Where the page's form sends to: the way of every visitor. */
export function formAddress({ siteUrl, supabaseUrl }: FormSettings, ownUrl: string): string {
  return `${supabaseUrl ?? siteUrl ?? ownUrl}${FUNCTIONS_PATH}/${FUNCTION_NAME}`;
}

/** What the page sends with a message, so that the answer is the one that a visitor would get. */
export function formHeaders({ siteUrl, supabaseAnonKey }: FormSettings): Record<string, string> {
  return {
    'content-type': 'application/json',
    apikey: supabaseAnonKey,
    ...(siteUrl && { origin: new URL(siteUrl).origin }),
  };
}

export function describeForm(answer: Answered, url: string, settings: FormSettings): Finding {
  const { host } = new URL(url);
  const setting = settings.supabaseUrl ? 'VITE_SUPABASE_URL' : settings.siteUrl ? 'SITE_URL' : 'PORT';
  if ('failed' in answer) return unreachable(answer.failed, host, setting);
  const { status, headers, text } = answer;
  const body = parseJson(text);
  if (typeof body.field === 'string' && status >= 400 && status < 500) {
    const origin = settings.siteUrl && new URL(settings.siteUrl).origin;
    const allowed = headers.get('access-control-allow-origin');
    if (origin && origin !== new URL(url).origin && allowed !== '*' && allowed !== origin) {
      return subject.wrong(
        `${host} does not let browsers send from ${origin}.`,
        `Add ${origin} to ALLOWED_ORIGINS there.`,
      );
    }
    return subject.ok(`${host} takes what visitors send.`);
  }
  if (status >= 300 && status < 400) {
    return subject.wrong(
      `${host} sends the form on to ${headers.get('location') ?? 'another address'}, and messages get lost on the way.`,
      `Write the last address into ${setting}, with its https:// and with or without www, then build again: npm start`,
    );
  }
  if (status === 401) {
    return subject.wrong(
      `${host} refuses the page’s key.`,
      'Copy the project’s public key into VITE_SUPABASE_ANON_KEY, then build again: npm start',
    );
  }
  if (status === 403) {
    return subject.wrong(
      `${host} refuses messages from the page’s own address.`,
      'Add the origin of SITE_URL to ALLOWED_ORIGINS, or empty that setting.',
    );
  }
  if (status === 429)
    return subject.look(`${host} has had too many messages from here.`, 'Run this again in some minutes.');
  if (status === 404 || status === 405) {
    return subject.wrong(
      `${host} knows no function ${FUNCTION_NAME}, so visitors cannot send anything.`,
      settings.supabaseUrl
        ? 'Deploy the function to your project: docs/deploy.md tells how.'
        : `Have your web server pass ${FUNCTIONS_PATH} on to this program: docs/deploy.md tells how.`,
    );
  }
  return subject.wrong(
    `${host} answers the form with code ${status}, so visitors cannot send anything.`,
    'Read the log of that server, and of the web server before it.',
  );
}

function unreachable(code: string, host: string, setting: string): Finding {
  const certificate = certificateFault(code);
  if (certificate) {
    return subject.wrong(`${host} ${certificate} Browsers refuse it.`, 'Renew the certificate of that host.');
  }
  if (code === 'ENOTFOUND') {
    return subject.wrong(
      `There is no host ${host}, so visitors cannot send anything.`,
      `Check ${setting} for a typing mistake, and the DNS of that domain.`,
    );
  }
  if (setting === 'PORT')
    return subject.wrong(`${host} does not answer (${code}).`, 'Start the server: npm start');
  return subject.look(
    `${host} could not be reached from this machine (${code}).`,
    'Send yourself a message through the page from another network, or run this elsewhere.',
  );
}
