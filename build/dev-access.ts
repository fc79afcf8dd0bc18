import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { FUNCTIONS_PATH } from '../contract/contact-message.ts';
import type { Settings } from '../settings/settings.ts';

type Names = Pick<Settings, 'host' | 'siteUrl'>;

/**
 * The only folders that browsers may read through Vite, since the project's folder also has the database, the mails
 * and `.env`.
 */
export const SERVED_FOLDERS = [
  'site',
  'contract',
  'node_modules/.vite/deps',
  'node_modules/vite/dist/client',
];

/** Vite's virtual modules; the last one has the page's inline script. */
const MODULES = ['/@vite/client', '/@dev-entry', '/@id/__x00__/index.html'];

/**
 * Whether Vite may answer. The path is checked as it was sent, without decoding, and no name may start with a dot, so
 * no spelling of `..` gets through.
 */
export function isServedByVite(url: string): boolean {
  const [path = ''] = url.split('?', 1);
  if (MODULES.includes(path)) return true;
  const folder = SERVED_FOLDERS.find((served) => path.startsWith(`/${served}/`));
  return folder !== undefined && /^(\/[\w@+-][\w.@+-]*)+$/.test(path.slice(folder.length + 1));
}

/**
 * Why a request is refused, whatever it asks for. A stranger's page can point its own host name at this machine (DNS
 * rebinding), or send requests to ours.
 */
export function refusal({ url = '', headers }: IncomingMessage, settings: Names): string | undefined {
  const host = URL.parse(`http://${headers.host}`);
  if (!host || !isOwnHost(host.hostname, settings)) {
    return 'This server answers to localhost, to IP addresses, and to the names in HOST and SITE_URL.\n';
  }
  // The function has its own check, ALLOWED_ORIGINS, and never shows what others wrote.
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
