import { publicAddress } from '../../publish/publish.ts';
import { about, type Check, type Finding, fieldOf } from './finding.ts';
import { ask, unreachable } from './web.ts';

const subject = about('address', 'Public address');
const FIELD = fieldOf('SITE_URL');

/** Whether visitors find the page at SITE_URL. */
export const address: Check = async ({ settings }) => {
  const siteUrl = publicAddress(settings);
  if (siteUrl) return [await checkAddress(siteUrl)];
  const todo = 'Give the address that visitors type, with its https://.';
  return [subject.look('The page has no address on the internet yet.', todo, FIELD)];
};

export async function checkAddress(siteUrl: string): Promise<Finding> {
  const answer = await ask(`${siteUrl}/`);
  if ('failed' in answer) return unreachable(subject, new URL(siteUrl), answer.failed);
  const { status, headers, text } = answer;
  if (status >= 300 && status < 400) {
    const todo = 'Give the page’s real address.';
    return subject.look(`${siteUrl} redirects to ${headers.get('location')}.`, todo, FIELD);
  }
  if (status !== 200 || !text.includes(`href="${siteUrl}/"`)) {
    const todo =
      'Is the address right, and does your web server pass it on to this site? See docs/deploy.md.';
    return subject.wrong(`${siteUrl} shows something other than this page.`, todo, FIELD);
  }
  if (siteUrl.startsWith('https:')) return subject.ok(`${siteUrl} shows this page.`);
  const todo = 'Put a web server with a certificate in front, such as Caddy, and write https://.';
  return subject.look(`${siteUrl} shows this page, but browsers call it “not secure”.`, todo, FIELD);
}
