import type { IncomingMessage } from 'node:http';
import { isThisMachine } from '../../settings/local-network.ts';
import type { Settings } from '../../settings/settings.ts';

/** What a proxy adds. Between a browser and its own machine there is none. */
const FORWARDED = /^(forwarded|via|x-forwarded-.*|x-real-ip)$/;

/** `https://www.example.com`, if that's where the desk is for the world. */
export function publicOrigin(siteUrl: string | undefined): string | undefined {
  const site = URL.parse(siteUrl ?? '');
  return site?.protocol === 'https:' ? site.origin : undefined;
}

/** What a link to the desk begins with. @param here for whoever asks: there's no other with https, or a static host has that */
export function deskAddress({ siteUrl, supabaseUrl }: Settings, here: string): string {
  const site = supabaseUrl ? undefined : publicOrigin(siteUrl);
  return `${site ?? here}/desk`;
}

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
    // A web server in front that hands on neither Host nor anything else
    headers.get('origin') !== origin;
  return isHere ? here.origin : undefined;
}

/** Where she goes after signing in: only below /desk, whatever somebody wrote there. */
export function pathBelowDesk(path: string | undefined): string {
  const url = URL.parse(path ?? '', 'http://desk');
  const isBelow = url?.origin === 'http://desk' && /^\/desk(\/|$)/.test(url.pathname);
  return isBelow ? url.pathname + url.search : '/desk';
}
