import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { FUNCTIONS_PATH } from '../contract/contact.ts';
import type { Settings } from '../settings/settings.ts';

type Names = Pick<Settings, 'host' | 'siteUrl'>;

/**
 * All that the browser may have of the project's files. The project's folder also holds the database, the mails and
 * `.env`, so Vite is asked for nothing else.
 */
export const SERVED_FOLDERS = [
  'site',
  'contract',
  'node_modules/.vite/deps',
  'node_modules/vite/dist/client',
];

/** Modules that Vite makes up, and that are no files; the last holds the page's inline script. */
const MODULES = ['/@vite/client', '/@dev-entry', '/@id/__x00__/index.html'];

/**
 * Whether Vite may answer. It's the address as it was sent that is looked at: nothing is decoded, and a name can't begin
 * with a dot, so no spelling of `..` gets past.
 */
export function isServedByVite(url: string): boolean {
  const [path = ''] = url.split('?', 1);
  if (MODULES.includes(path)) return true;
  const folder = SERVED_FOLDERS.find((served) => path.startsWith(`/${served}/`));
  return folder !== undefined && /^(\/[\w@+-][\w.@+-]*)+$/.test(path.slice(folder.length + 1));
}

/**
 * Why a request is refused, whatever it asks for. A stranger's page can point a name of its own at this machine, and
 * can ask for anything under ours.
 */
export function refusal({ url = '', headers }: IncomingMessage, settings: Names): string | undefined {
  const host = URL.parse(`http://${headers.host}`);
  if (!host || !isOwnHost(host.hostname, settings)) {
    return 'This server answers to localhost, to IP addresses, and to the names in HOST and SITE_URL.\n';
  }
  // The function has its own rule, ALLOWED_ORIGINS, and tells nobody what others wrote.
  const isCall = url.startsWith(`${FUNCTIONS_PATH}/`);
  if (!isCall && headers.origin !== undefined && URL.parse(headers.origin)?.host !== host.host)
    return 'Pages of other origins get nothing here.\n';
  return undefined;
}

function isOwnHost(hostname: string, { host, siteUrl }: Names): boolean {
  const name = hostname.replace(/^\[|\]$/g, '');
  return (
    isIP(name) !== 0 || ['localhost', host.toLowerCase(), siteUrl && new URL(siteUrl).hostname].includes(name)
  );
}
