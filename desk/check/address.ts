import { isIP } from 'node:net';
import { connect } from 'node:tls';
import { DAY } from '../../contract/time.ts';
import { publicAddress } from '../../publish/publish.ts';
import { about, type Check, type Finding, fieldOf } from './finding.ts';
import { ask, unreachable } from './web.ts';

const subject = about('address', 'address', 'Public address');

/** Certificates usually renew themselves a month before they expire. */
const SOON_DAYS = 14;
const FIELD = fieldOf('SITE_URL');

/** Whether visitors find the page at SITE_URL, and for how long its certificate lasts. */
export const address: Check = {
  needs: ['SITE_URL'],
  run: async ({ settings, now }, signal) => {
    const siteUrl = publicAddress(settings);
    if (siteUrl) return [await checkAddress(siteUrl, now, signal)];
    const todo = 'Set SITE_URL to the address that visitors type, with its https://.';
    return [subject.look('The page has no address on the internet yet.', todo, FIELD)];
  },
};

export async function checkAddress(siteUrl: string, now: number, signal: AbortSignal): Promise<Finding> {
  const url = new URL(siteUrl);
  const answer = await ask(`${siteUrl}/`, signal);
  if ('failed' in answer) return unreachable(subject, url, answer.failed);
  if (answer.status >= 300 && answer.status < 400) {
    const todo = 'Put the page’s real address into SITE_URL.';
    return subject.look(`${siteUrl} redirects to ${answer.headers.get('location')}.`, todo, FIELD);
  }
  if (answer.status !== 200 || !answer.text.includes(`href="${siteUrl}/"`)) {
    const todo = 'Check SITE_URL, then build and publish the page: see docs/deploy.md.';
    return subject.wrong(`${siteUrl} shows something other than this page.`, todo, FIELD);
  }
  if (url.protocol === 'http:') {
    const todo = 'Give it a certificate, and write https:// in SITE_URL. Caddy does that by itself.';
    return subject.look(`${siteUrl} shows this page, but browsers call it “not secure”.`, todo, FIELD);
  }
  const days = Math.floor((Date.parse(await validTo(url, signal)) - now) / DAY);
  const left = `its certificate is valid for ${days === 1 ? '1 more day' : `${days} more days`}.`;
  return days < SOON_DAYS
    ? subject.look(`${siteUrl} shows this page, but ${left}`, 'Renew it now.')
    : subject.ok(`${siteUrl} shows this page; ${left}`);
}

function validTo({ hostname, port }: URL, signal: AbortSignal): Promise<string> {
  const host = hostname.replace(/^\[|\]$/g, '');
  return new Promise((resolve, reject) => {
    // TLS doesn't allow an IP address as the server name.
    const name = isIP(host) ? {} : { servername: host };
    const socket = connect({ host, port: Number(port || 443), ...name }, () => {
      resolve(socket.getPeerCertificate().valid_to);
      socket.destroy();
    });
    socket.on('error', reject);
    signal.addEventListener('abort', () => socket.destroy(), { once: true });
  });
}
