import { html } from 'hono/html';
import { count } from '../command/terminal.ts';
import { type Frame, form, page, press, TOKEN, titleBlock } from '../sheet/frame.ts';
import { localTime, whenCame } from '../sheet/time.ts';
import { inWords } from './archive.ts';
import { type Brought, MAILED_AGAIN } from './restore.ts';

export function keepPage(frame: Frame, lastBackupAt: number | undefined) {
  const age =
    lastBackupAt === undefined
      ? // A download leaves this page as it was.
        html`As of ${localTime(frame.now, frame.timeZone, {})}, you haven’t made a backup yet.`
      : html`Last backup: ${whenCame(lastBackupAt, frame.now, frame.timeZone)}`;
  const main = html`<div class="head"><h1>Keep</h1><p class="lead">${age}</p>
<div class="row">${press(frame, '/desk/keep/backup', 'Download a backup', true)}</div></div>
<section class="group"><h2>What’s in it</h2>
<p>All messages, your words and photo, the mails in its mail folder, and your settings without passwords. It holds what visitors wrote to you: keep it where only you can read it, on another machine than the site.</p></section>
<section class="group"><h2>Getting it back</h2>
<p>A backup goes into a site that’s still empty, such as one on a new server. You see what’s in it first.</p>
<p><a class="button" href="/desk/keep/restore">Bring a backup back …</a></p></section>
<section class="group"><h2>Devices</h2>
<p>Those that are signed in to this desk.</p>
<p><a class="button" href="/desk/devices">Your devices</a></p></section>`;
  return page(frame, 'Keep', main);
}

/** @param held how many messages are here already */
export function restorePage(frame: Frame, held: number) {
  const main =
    held === 0
      ? html`<p class="lead">Choose the file that you downloaded. Then you see what’s in it, and nothing is changed yet.</p>
<form class="deeds" method="post" enctype="multipart/form-data" action="/desk/keep/restore/look?${TOKEN}=${frame.token}">
<input type="file" name="backup" accept=".zip,.db" required aria-label="Backup"><button class="button button-main">Look what’s in it</button></form>`
      : html`<p class="lead">This site has ${count(held, 'message')}, and a backup never replaces anything. Set the site up anew, where it’s still empty, and bring the backup back there.</p>`;
  return page(frame, 'Keep', html`<div class="head"><h1>Bring a backup back</h1>${main}</div>`);
}

/** What would come. @param room where the file waits */
export function foundPage(frame: Frame, found: Brought, room: string) {
  const { messages, waiting, words, mails, madeAt } = found;
  const unsent = waiting ? `, ${waiting.toLocaleString('en')} of them still to be mailed` : '';
  const button = html`<input type="hidden" name="room" value="${room}"><button class="button button-main">Bring it back</button>`;
  const main = html`<div class="head"><h1>Bring all of this back?</h1>
<p class="lead">Only if you made this backup yourself: its words become your page.</p></div>
<div class="found">${titleBlock([
    ...(madeAt === undefined ? [] : [['Made', localTime(madeAt, frame.timeZone)] as const]),
    ['Messages', `${messages.toLocaleString('en')}${unsent}`],
    ['Words and photo', count(words, 'file')],
    ['Mail files', mails.toLocaleString('en')],
    ['Settings', 'Stay as they are here.'],
  ])}
<div class="deeds">${form(frame, '/desk/keep/restore', button)}
<a class="button" href="/desk/keep">Leave it</a></div></div>`;
  return page(frame, 'Keep', main);
}

export function broughtPage(frame: Frame, brought: Brought) {
  const main = html`<div class="head"><h1>It’s all back.</h1>
<p class="lead">${inWords(brought)}. ${brought.waiting > 0 && MAILED_AGAIN}</p>
${brought.words > 0 && html`<p class="lead">Visitors see your words once you publish them.</p><p class="row"><a class="button button-main" href="/desk/words">Look at your words</a></p>`}</div>`;
  return page(frame, 'Keep', main);
}
