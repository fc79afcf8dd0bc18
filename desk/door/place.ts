import type { IncomingMessage } from 'node:http';
import { publicDesk } from '../../server/mail/mails.ts';
import { isThisMachine } from '../../settings/local-network.ts';
import type { Settings } from '../../settings/settings.ts';

/** What a proxy adds. Between a browser and its own machine there is none. */
const FORWARDED = /^(forwarded|via|x-forwarded-.*|x-real-ip)$/;

/** `https://www.example.com`, if that's where the desk is for the world. */
export const publicOrigin = (siteUrl: string | undefined): string | undefined =>
  siteUrl?.startsWith('https:') ? siteUrl : undefined;

/** What a link to the desk begins with. @param here the address for whoever asks, if there's no public one */
export const deskAddress = (settings: Settings, here: string): string =>
  publicDesk(settings) ?? `${here}/desk`;

/** Where this request finds the desk: at its public origin, or on the machine itself, whatever the headers say. */
export function originFor({ headers }: Request, incoming?: IncomingMessage, origin?: string) {
  const host = headers.get('host') ?? '';
  // Proxies may add the port, and people capitals.
  if (origin && URL.parse(`https://${host}`)?.origin === origin) return origin;
  const here = URL.parse(`http://${host}`);
  const isHere =
    here?.host === host &&
    isThisMachine(here.hostname) &&
    isThisMachine(incoming?.socket.remoteAddress?.replace(/^::ffff:/, '') ?? 'nowhere') &&
    ![...headers.keys()].some((name) => FORWARDED.test(name)) &&
    // A web server in front that passes on neither Host nor anything else
    headers.get('origin') !== origin;
  return isHere ? here.origin : undefined;
}

/** Where she goes after signing in: only below /desk, whatever somebody wrote there. */
export function pathBelowDesk(path: string | undefined): string {
  const url = URL.parse(path ?? '', 'http://desk');
  const isBelow = url?.origin === 'http://desk' && /^\/desk(\/|$)/.test(url.pathname);
  return isBelow ? url.pathname + url.search : '/desk';
}
