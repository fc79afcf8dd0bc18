import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { findPlaceholders } from '../../build/placeholders.ts';
import { isStale } from '../../build/stale.ts';
import { PROJECT_ROOT, type Settings } from '../../settings/settings.ts';
import { certificateFault, certificateLife } from './certificate.ts';
import { about, type Finding } from './finding.ts';
import { ask } from './web.ts';

export const page = about('mine', 'page', 'The page');
export const address = about('mine', 'address', 'Public address');
export const placeholder = about('mine', 'placeholders', 'Still to do');

/**
 * Whether the page is built from the words and settings of now, and whether the server shows that one.
 *
 * @param dist the built site
 */
export async function checkPage(
  settings: Settings,
  { dist, ownUrl, signal }: { dist: string; ownUrl: string | undefined; signal: AbortSignal },
): Promise<Finding[]> {
  const built = await readFile(join(dist, 'index.html'), 'utf8').catch(() => undefined);
  if (built === undefined) return [page.wrong('It is not built yet.', 'Build and start it: npm start')];
  // Where only the server was installed there is nothing to compare with.
  const sourcesAreHere = existsSync(join(PROJECT_ROOT, 'site/content'));
  if (sourcesAreHere && (await isStale(settings, dist))) {
    return [
      page.look(
        'Words, files or settings have changed since it was built.',
        'Build and start it anew: npm start',
      ),
    ];
  }
  const shown = ownUrl === undefined ? undefined : await ask(`${ownUrl}/`, signal);
  if (shown && 'text' in shown && shown.status === 200 && shown.text !== built) {
    return [
      page.look('The server still shows the page from before the last build.', 'Start it again: npm start'),
    ];
  }
  return [page.ok('Built from your words and settings as they are now.')];
}

/** Whether visitors find the page at SITE_URL, and for how long its certificate lasts. */
export async function checkAddress(siteUrl: string, now: number, signal: AbortSignal): Promise<Finding[]> {
  const url = new URL(siteUrl);
  const answer = await ask(`${siteUrl}/`, signal);
  if ('failed' in answer) {
    const certificate = certificateFault(answer.failed);
    if (certificate)
      return [
        address.wrong(
          `${url.host} ${certificate} Browsers warn of it.`,
          'Renew the certificate of that host.',
        ),
      ];
    if (answer.failed === 'ENOTFOUND') {
      const todo = 'Check SITE_URL for a typing mistake, and the DNS of that domain.';
      return [address.wrong(`There is no host ${url.hostname}.`, todo)];
    }
    const todo = 'Open it in a browser, best from a phone that is not in your network.';
    return [address.look(`${url.host} could not be reached from this machine (${answer.failed}).`, todo)];
  }
  if (answer.status >= 300 && answer.status < 400) {
    const todo = 'Write the address where the page really is into SITE_URL.';
    return [address.look(`${siteUrl} leads on to ${answer.headers.get('location')}.`, todo)];
  }
  if (answer.status !== 200 || !answer.text.includes(`href="${siteUrl}/"`)) {
    const todo = 'Check SITE_URL, then build and publish the page: docs/deploy.md tells how.';
    return [address.wrong(`${siteUrl} shows something other than this page.`, todo)];
  }
  if (url.protocol === 'http:') {
    const todo = 'Give it a certificate, and write https:// in SITE_URL. Caddy does that by itself.';
    return [address.look(`${siteUrl} shows this page, but browsers call it “not secure”.`, todo)];
  }
  const life = certificateLife(await validTo(url, signal), now);
  return life.soon
    ? [address.look(`${siteUrl} shows this page, but its certificate ${life.text}.`, 'Renew it now.')]
    : [address.ok(`${siteUrl} shows this page; its certificate ${life.text}.`)];
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

/** What came with the project and is not the owner's own yet. */
export async function checkPlaceholders(settings: Settings): Promise<Finding[]> {
  const found = await findPlaceholders(settings);
  if (found.length === 0)
    return [placeholder.ok('Nothing: all that came with the project as an example is yours.')];
  return found.map(({ what, todo }) => placeholder.look(what, todo));
}
