import { FUNCTION_NAME, FUNCTIONS_PATH } from '../../contract/contact.ts';
import type { Settings } from '../../settings/settings.ts';
import { certificateFault } from './certificate.ts';
import { about, type Finding } from './finding.ts';
import { type Answered, ask, BAD_PORT, parseJson } from './web.ts';

export const server = about('messages', 'server', 'Server');
export const form = about('messages', 'form', 'Contact form');

/** The settings by which the form's call finds its way. */
export type FormSettings = Pick<Settings, 'siteUrl' | 'supabaseUrl' | 'supabaseAnonKey'>;

/** Whether the server of these settings runs on this machine, and takes messages. */
export async function checkServer(
  ownUrl: string,
  { supabaseUrl }: FormSettings,
  signal: AbortSignal,
): Promise<Finding[]> {
  if (new URL(ownUrl).port === '0') {
    const found = 'PORT is 0, which takes any free port, so the server cannot be found.';
    return [server.look(found, 'Choose a PORT in .env, such as 8080.')];
  }
  const health = await ask(`${ownUrl}/healthz`, signal);
  if ('failed' in health) {
    if (supabaseUrl)
      return [
        server.ok(`None runs here, and none is needed: the form sends to ${new URL(supabaseUrl).host}.`),
      ];
    if (health.failed === BAD_PORT) {
      const found = `Browsers open no page at ${ownUrl}, whose port belongs to another protocol.`;
      return [server.wrong(found, 'Choose another PORT in .env, such as 8080, and start the server.')];
    }
    const found =
      health.failed === 'ECONNREFUSED'
        ? `It is not running: nobody answers at ${ownUrl}.`
        : `It does not answer at ${ownUrl} (${health.failed}).`;
    return [server.wrong(found, 'Start it: npm start')];
  }
  if (health.status !== 200 || parseJson(health.text).ok !== true) {
    return [
      server.wrong(
        `Another program answers at ${ownUrl}.`,
        'End that program, or choose another PORT in .env and start the server.',
      ),
    ];
  }
  const ready = await ask(`${ownUrl}/readyz`, signal);
  if ('failed' in ready || ready.status !== 200) {
    return [
      server.wrong(
        'It runs, but takes no messages: its database cannot be written, or it is just stopping.',
        'Read its log and the lines about database and disk here; then start it again.',
      ),
    ];
  }
  return [server.ok(`It runs and takes messages at ${ownUrl}.`)];
}

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

/** Sends an empty form where visitors send theirs. It is refused for its missing name, and nothing is stored. */
export async function checkForm(
  settings: FormSettings,
  ownUrl: string,
  signal: AbortSignal,
): Promise<Finding[]> {
  const url = formAddress(settings, ownUrl);
  const answer = await ask(url, signal, { method: 'POST', headers: formHeaders(settings), body: '{}' });
  return [describeForm(answer, url, settings)];
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
      return form.wrong(
        `${host} does not let browsers send from ${origin}.`,
        `Add ${origin} to ALLOWED_ORIGINS there.`,
      );
    }
    return form.ok(`${host} takes what visitors send.`);
  }
  if (status >= 300 && status < 400) {
    return form.wrong(
      `${host} sends the form on to ${headers.get('location') ?? 'another address'}, and messages get lost on the way.`,
      `Write the last address into ${setting}, with its https:// and with or without www, then build again: npm start`,
    );
  }
  if (status === 401) {
    return form.wrong(
      `${host} refuses the page’s key.`,
      'Copy the project’s public key into VITE_SUPABASE_ANON_KEY, then build again: npm start',
    );
  }
  if (status === 403) {
    return form.wrong(
      `${host} refuses messages from the page’s own address.`,
      'Add the origin of SITE_URL to ALLOWED_ORIGINS, or empty that setting.',
    );
  }
  if (status === 429)
    return form.look(`${host} has had too many messages from here.`, 'Run this again in some minutes.');
  if (status === 404 || status === 405) {
    return form.wrong(
      `${host} knows no function ${FUNCTION_NAME}, so visitors cannot send anything.`,
      settings.supabaseUrl
        ? 'Deploy the function to your project: docs/deploy.md tells how.'
        : `Have your web server pass ${FUNCTIONS_PATH} on to this program: docs/deploy.md tells how.`,
    );
  }
  return form.wrong(
    `${host} answers the form with code ${status}, so visitors cannot send anything.`,
    'Read the log of that server, and of the web server before it.',
  );
}

function unreachable(code: string, host: string, setting: string): Finding {
  const certificate = certificateFault(code);
  if (certificate) {
    return form.wrong(`${host} ${certificate} Browsers refuse it.`, 'Renew the certificate of that host.');
  }
  if (code === 'ENOTFOUND') {
    return form.wrong(
      `There is no host ${host}, so visitors cannot send anything.`,
      `Check ${setting} for a typing mistake, and the DNS of that domain.`,
    );
  }
  if (setting === 'PORT')
    return form.wrong(`${host} does not answer (${code}).`, 'Start the server: npm start');
  return form.look(
    `${host} could not be reached from this machine (${code}).`,
    'Send yourself a message through the page from another network, or run this elsewhere.',
  );
}
