import { isIP } from 'node:net';
import { connect } from 'node:tls';
import { publicAddress } from '../../build/placeholders.ts';
import { about, type Check, type Finding } from './check.ts';
import { ask, certificateFault, certificateLife } from './web.ts';

const subject = about('mine', 'address', 'Public address');

/** Whether visitors find the page at SITE_URL, and for how long its certificate lasts. */
export const address: Check = {
  name: 'address',
  about: subject,
  needs: ['SITE_URL'],
  when: (settings) => publicAddress(settings) !== undefined,
  run: async ({ settings, now }, signal) =>
    settings.siteUrl ? [await checkAddress(settings.siteUrl, now, signal)] : [],
};

export async function checkAddress(siteUrl: string, now: number, signal: AbortSignal): Promise<Finding> {
  const url = new URL(siteUrl);
  const answer = await ask(`${siteUrl}/`, signal);
  if ('failed' in answer) {
    const certificate = certificateFault(answer.failed);
    if (certificate)
      return subject.wrong(
        `${url.host} ${certificate} Browsers warn of it.`,
        'Renew the certificate of that host.',
      );
    if (answer.failed === 'ENOTFOUND') {
      const todo = 'Check SITE_URL for a typing mistake, and the DNS of that domain.';
      return subject.wrong(`There is no host ${url.hostname}.`, todo);
    }
    const todo = 'Open it in a browser, best from a phone that is not in your network.';
    return subject.look(`${url.host} could not be reached from this machine (${answer.failed}).`, todo);
  }
  if (answer.status >= 300 && answer.status < 400) {
    const todo = 'Write the address where the page really is into SITE_URL.';
    return subject.look(`${siteUrl} leads on to ${answer.headers.get('location')}.`, todo);
  }
  if (answer.status !== 200 || !answer.text.includes(`href="${siteUrl}/"`)) {
    const todo = 'Check SITE_URL, then build and publish the page: docs/deploy.md tells how.';
    return subject.wrong(`${siteUrl} shows something other than this page.`, todo);
  }
  if (url.protocol === 'http:') {
    const todo = 'Give it a certificate, and write https:// in SITE_URL. Caddy does that by itself.';
    return subject.look(`${siteUrl} shows this page, but browsers call it “not secure”.`, todo);
  }
  const life = certificateLife(await validTo(url, signal), now);
  return life.soon
    ? subject.look(`${siteUrl} shows this page, but its certificate ${life.text}.`, 'Renew it now.')
    : subject.ok(`${siteUrl} shows this page; its certificate ${life.text}.`);
}

/** When the certificate of an address that has been reached runs out, as it says itself. */
function validTo(url: URL, signal: AbortSignal): Promise<string> {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  return new Promise((resolve, reject) => {
    // A certificate is asked for by name; for a bare IP address there is none to give.
    const name = isIP(host) ? {} : { servername: host };
    const socket = connect({ host, port: Number(url.port || 443), ...name }, () => {
      resolve(socket.getPeerCertificate().valid_to);
      socket.destroy();
    });
    socket.on('error', reject);
    signal.addEventListener('abort', () => socket.destroy(), { once: true });
  });
}
