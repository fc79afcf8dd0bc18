import { createWriteStream, existsSync } from 'node:fs';
import { open, rm, stat, statfs, truncate } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { json, text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { html } from 'hono/html';
import { HOUR } from '../../contract/time.ts';
import { lastDoneAt, noteDone } from '../../server/messages/last-done.ts';
import { countMessages } from '../../server/messages/queries.ts';
import { dayAt } from '../../server/messages/time.ts';
import { count, Failed, runCommand } from '../command/command.ts';
import { onlyFresh } from '../door/door.ts';
import {
  type DeskApp,
  type Frame,
  form,
  localTime,
  page,
  press,
  type Served,
  TOKEN,
  titleBlock,
  whenCame,
} from '../sheet/frame.ts';
import { inWords } from './archive.ts';
import { dataFolder, makeDataRoom, UNFINISHED } from './output-file.ts';
import { type Brought, MAILED_AGAIN } from './restore.ts';

/** What messages call an uploaded file. */
const UPLOADED = 'This file';
/** How long it waits for her to press the button. */
const KEPT_MS = HOUR;
/** Far more than a browser says about a file before the file itself. */
const MOST_HEAD = 10_000;

export function addKeep(app: DeskApp, { settings, database }: Served): void {
  /** By room, so that a second press of the button, or a reload after it, shows what the first press did. */
  const restores = new Map<string, Promise<unknown>>();
  app.get('/keep', async (c) => c.html(keepPage(c.var.frame, await lastDoneAt(database, 'backup'))));

  app.post('/keep/backup', onlyFresh('/desk/keep'), async (c) => {
    const { now } = c.var.frame;
    // Once it's open, it can be read to its end, though its room is gone.
    await using room = await makeDataRoom(settings);
    const path = join(room.path, 'backup.zip');
    await text(runCommand(['backup', path, '--download']));
    const file = await open(path);
    const { size } = await file.stat();
    const { outgoing } = c.env;
    // An interrupted download is no backup. Its answer still ends, once it's closed.
    outgoing?.once('finish', () => {
      if (!outgoing.destroyed) void noteDone(database, 'backup', now).catch(() => undefined);
    });
    return c.body(Readable.toWeb(file.createReadStream()) as ReadableStream, 200, {
      'content-type': 'application/zip',
      'content-length': String(size),
      'content-disposition': `attachment; filename="backup-${dayAt(now, settings.timeZone)}.zip"`,
    });
  });

  app.get('/keep/restore', onlyFresh(), async (c) =>
    c.html(restorePage(c.var.frame, await countMessages(database))),
  );
  app.post('/keep/restore/look', onlyFresh('/desk/keep/restore'), async (c) => {
    const room = await makeDataRoom(settings);
    const file = join(room.path, UPLOADED);
    try {
      await saveUpload(c.req.raw, file);
      const found = (await json(runCommand(['restore', file, '--look']))) as Brought;
      setTimeout(room.remove, KEPT_MS).unref();
      return c.html(foundPage(c.var.frame, found, basename(room.path)));
    } catch (error) {
      await room.remove();
      throw error;
    }
  });
  app.post('/keep/restore', onlyFresh('/desk/keep/restore'), async (c) => {
    const { room } = await c.req.parseBody();
    if (typeof room !== 'string' || !UNFINISHED.test(room)) return c.notFound();
    const folder = join(dataFolder(settings), room);
    if (!restores.has(room) && !existsSync(folder))
      throw new Failed('That file isn’t here any more. Upload it again.');
    const brought = restores.get(room) ?? json(runCommand(['restore', join(folder, UPLOADED), '--json']));
    restores.set(room, brought);
    await brought.catch(() => restores.delete(room));
    const page = broughtPage(c.var.frame, (await brought) as Brought);
    await rm(folder, { recursive: true, force: true });
    return c.html(page);
  });
}

function keepPage(frame: Frame, lastBackupAt: number | undefined) {
  const age =
    lastBackupAt === undefined
      ? // A download leaves this page as it was.
        html`As of ${localTime(frame.now, frame, {})}, no backup has been made here yet.`
      : html`Last backup: ${whenCame(lastBackupAt, frame)}`;
  const main = html`<div class="head"><h1>Keep</h1><p class="lead">${age}</p>
<div class="row">${press(frame, '/desk/keep/backup', 'Download a backup', true)}</div></div>
<section class="group"><h2>What’s in it</h2>
<p>All messages, your words and photo, and your settings, except the secret ones: mail server, database and the address for alerts. It holds what visitors wrote to you: keep it where only you can read it, and not on the site’s own machine.</p></section>
<section class="group"><h2>Getting it back</h2>
<p>A backup goes into a site that’s still empty, such as one on a new server. You see what’s in it first.</p>
<p><a class="button" href="/desk/keep/restore">Restore a backup …</a></p></section>
<section class="group"><h2>Devices</h2>
<p>Those that are signed in to this desk.</p>
<p><a class="button" href="/desk/devices">Your devices</a></p></section>`;
  return page(frame, 'Keep', main);
}

function restorePage(frame: Frame, messages: number) {
  const main =
    messages === 0
      ? html`<p class="lead">Choose the file that you downloaded. You’ll see what’s in it before anything is changed.</p>
<form class="deeds" method="post" enctype="multipart/form-data" action="/desk/keep/restore/look?${TOKEN}=${frame.token}">
<input type="file" name="backup" accept=".zip,.db" required aria-label="Backup"><button class="button button-main">See what’s in it</button></form>`
      : html`<p class="lead">This site has ${count(messages, 'message')}, and a backup never replaces anything. Set up a new site that’s still empty, and restore the backup there.</p><p class="row"><a href="/desk/keep">← Keep</a></p>`;
  return page(frame, 'Keep', html`<div class="head"><h1>Restore a backup</h1>${main}</div>`);
}

/** What would be restored. @param room where the file waits */
function foundPage(frame: Frame, found: Brought, room: string) {
  const { messages, waiting, words } = found;
  const unsent = waiting ? `, ${waiting.toLocaleString('en')} of them still to be mailed` : '';
  const button = html`<input type="hidden" name="room" value="${room}"><button class="button button-main">Restore it</button>`;
  const main = html`<div class="head"><h1>Restore all of this?</h1>
<p class="lead">Only if you made this backup yourself: its words become your page.</p></div>
<div class="found">${titleBlock([
    ['Messages', `${messages.toLocaleString('en')}${unsent}`],
    ['Words and photo', count(words, 'file')],
    ['Settings', 'Stay as they are here.'],
  ])}
<div class="deeds">${form(frame, '/desk/keep/restore', button)}
<a class="button" href="/desk/keep">Don’t restore</a></div></div>`;
  return page(frame, 'Keep', main);
}

function broughtPage(frame: Frame, brought: Brought) {
  const main = html`<div class="head"><h1>Restored.</h1>
<p class="lead">${inWords(brought)}. Settings stay as they are here. ${brought.waiting > 0 && MAILED_AGAIN}</p>
${brought.words > 0 && html`<p class="lead">Visitors see your words once you publish them.</p><p class="row"><a class="button button-main" href="/desk/words">See your words</a></p>`}</div>`;
  return page(frame, 'Keep', main);
}

/** Saves a form's only file as it comes in, since it may be larger than the memory. */
async function saveUpload({ headers, body }: Request, file: string): Promise<void> {
  const [, boundary] = /;\s*boundary="?([^";]+)/.exec(headers.get('content-type') ?? '') ?? [];
  if (!body || !boundary) throw new Failed('No file arrived.');
  const { bavail, bsize } = await statfs(dirname(file));
  // Visitors' messages need some of that, and so does unpacking it.
  if (Number(headers.get('content-length')) > (bavail * bsize) / 4)
    throw new Failed('That file is too large for the disk of the site.');
  // There's what the browser says of the file, the file itself, and a last line (RFC 7578).
  async function* content(chunks: AsyncIterable<Uint8Array>) {
    let head = Buffer.alloc(0);
    let end = -1;
    for await (const chunk of chunks) {
      if (end >= 0) {
        yield chunk;
        continue;
      }
      head = Buffer.concat([head, chunk]);
      end = head.indexOf('\r\n\r\n');
      if (end >= 0) yield head.subarray(end + 4);
      else if (head.length > MOST_HEAD) throw new Failed('No file arrived.');
    }
  }
  await pipeline(body, content, createWriteStream(file, { flags: 'wx', mode: 0o600 }));
  const lastLine = `\r\n--${boundary}--\r\n`;
  await truncate(file, Math.max((await stat(file)).size - lastLine.length, 0));
}
