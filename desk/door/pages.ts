import { html } from 'hono/html';
import { MINUTE } from '../../contract/time.ts';
import { document, type Frame, form, type Html, page, press, whenCame } from '../sheet/frame.ts';
import type { Device } from './devices.ts';
import { LINK_MS } from './links.ts';

/* The pages outside the door. Nothing about the owner is on them: not her address, not her name. */

const sheet = (title: string, lead: Html | string, more?: Html) =>
  document(
    title,
    html`<main class="drawing door"><h1>${title}</h1><p class="lead">${lead}</p>${more}</main>`,
  );

/** @param where `_blank` leaves this page open, with what's typed in it */
const askForm = (words: string, next: string, where = '_self') =>
  html`<form method="post" action="/desk/link?next=${encodeURIComponent(next)}" target="${where}"><button class="button">${words}</button></form>`;

const ON_MACHINE = html`<p>On the machine that the site runs on, <code>npm run desk</code> shows a link; on a server set up by <code>deploy/server.sh</code>, it’s <code>desk</code>.</p>`;

export const CANT_MAIL = 'This site can’t send email yet.';

/** @param next where she goes once she has opened the link */
export const askPage = (
  next: string,
  words = 'Press the button, and a link is mailed to this site’s owner. There’s no password.',
) => sheet('Your desk', words, words === CANT_MAIL ? ON_MACHINE : askForm('Send me a link', next));

/** The same for everyone. @param canMail whether the site has a mail server */
export const askedPage = (canMail: boolean) =>
  canMail
    ? sheet(
        'Check your inbox.',
        'If this is your site, and its mail gets through, a link comes within a few minutes. It works once, and says when it expires. Check Junk, too.',
        html`<p>Nothing came? <a href="/desk">Ask again</a>, a few times an hour at most. After many links in a day, whoever asked for them, it may take three hours.</p>${ON_MACHINE}`,
      )
    : sheet(CANT_MAIL, 'So no link was mailed.', ON_MACHINE);

/** Opening a link alone does nothing: programs that look for viruses open all of them. */
export const openPage = (path: string, newAddress: string | null) =>
  sheet(
    newAddress ? 'Is this your address?' : 'Your desk',
    newAddress
      ? `Once you press the button, what visitors write is mailed to ${newAddress}.`
      : 'One more press. Programs that check emails for viruses follow links, and would use this one up.',
    html`<form method="post" action="${path}"><button class="button button-main">${newAddress ? 'Yes, it’s mine' : 'Open my desk'}</button></form>`,
  );

export const deadPage = () =>
  sheet(
    'This link doesn’t work any more.',
    `Each works once, for ${LINK_MS / MINUTE} minutes, in a browser that keeps cookies.`,
    askForm('Send me another', ''),
  );

export const signedOutPage = (words: string) =>
  sheet('You’re signed out.', words, askForm('Send me a link', ''));

/** For a form from a device that's signed out. Once she's back in, a reload sends it again, with all she typed. */
export const tooLatePage = () =>
  sheet(
    'You’re signed out.',
    'So nothing was done. Sign in again in another tab, then reload this one: what you typed is sent again.',
    askForm('Send me a link', '', '_blank'),
  );

export const awayPage = () =>
  sheet(
    'Your desk can’t be reached right now.',
    html`Try again in a minute. On the machine that the site runs on, <code>npm run desk -- doctor</code> says what’s wrong; on a server set up by <code>deploy/server.sh</code>, it’s <code>desk doctor</code>.`,
  );

export const elsewherePage = (origin: string | undefined) =>
  sheet(
    'There’s no desk at this address.',
    origin
      ? html`It’s at <a href="${origin}/desk">${origin}/desk</a>. Is there a web server in front of the site? Then it has to pass on the <code>Host</code> that the browser asks for.`
      : 'Until SITE_URL is the site’s own address with https, you can only reach it on the machine that the site runs on.',
  );

/** @param origin with https, where she may have come by http */
export const foreignPage = (origin = '') =>
  sheet(
    'That came from another page.',
    html`So nothing was done. Open the desk itself, and try again: <a href="${origin}/desk">your desk</a>`,
  );

/** @param then what's said after why it's asked for */
export const askFresh = (next: string, then: string, where?: string) =>
  html`<p class="lead">For addresses, mail settings and what’s stored, you need to have opened a link within the last hour. ${then}</p>
${askForm('Send me a link', next, where)}`;

export const freshPage = (frame: Frame, next: string) =>
  page(
    frame,
    'Is it you?',
    html`<div class="head"><h1>Is it you?</h1>${askFresh(next, 'Nothing was done yet.')}</div>`,
  );

export const devicesPage = (frame: Frame, devices: readonly Device[], own: string | undefined) =>
  page(
    frame,
    'Devices',
    html`<div class="head"><h1>Devices</h1><p class="lead">These are signed in. Each stays that way for 90 days after its last use, and a year at most.</p></div>
<ul class="steps">${devices.map(
      ({ id, name, used_at }) =>
        html`<li><b>${name}</b> <span>${
          id === own ? 'this one' : `seen ${whenCame(used_at, frame)}`
        }</span>${form(frame, `/desk/devices/${id}/sign-out`, html`<button class="button" aria-label="Sign out ${name}">Sign out</button>`)}</li>`,
    )}</ul>
<p>“Everywhere” includes this device. To come back, you need a new link.</p>
<div class="row">${press(frame, '/desk/devices/sign-out', 'Sign out everywhere')}</div>`,
  );
