import { createReadStream, createWriteStream, existsSync } from 'node:fs';
import { rm, stat, statfs, truncate } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { json, text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { Hono } from 'hono';
import { HOUR } from '../../contract/time.ts';
import type { Unhurried } from '../../server/http/listen.ts';
import { lastDoneAt, noteDone } from '../../server/messages/last-done.ts';
import { countMessages } from '../../server/messages/queries.ts';
import { dayAt } from '../../server/messages/time.ts';
import type { Desk } from '../command/desk.ts';
import { Failed } from '../command/failures.ts';
import { runCommand } from '../command/run.ts';
import { onlyFresh } from '../door/door.ts';
import type { DeskEnv } from '../sheet/frame.ts';
import { dataFolder, makeRoom, UNFINISHED } from './output-file.ts';
import type { Brought } from './restore.ts';
import { broughtPage, foundPage, keepPage, restorePage } from './views.ts';

/** How an uploaded file is called in what's said of it. */
const UPLOADED = 'This file';
/** How long it waits for her to press the button. */
const KEPT_MS = HOUR;
/** Far more than a browser says of a file before the file itself. */
const MOST_HEAD = 10_000;

/** What she keeps, at /desk/keep: a backup to download or to bring back, and her devices. */
export function keepRoutes(desk: Desk): Hono<DeskEnv> {
  const routes = new Hono<DeskEnv>();
  routes.get('/', async (c) =>
    c.html(keepPage(c.var.frame, await lastDoneAt(await desk.database(), 'backup'))),
  );

  routes.post('/backup', onlyFresh('/desk/keep'), async (c) => {
    const { now, timeZone } = c.var.frame;
    const database = await desk.database();
    const room = await makeRoom(dataFolder(desk.settings()));
    const file = join(room.path, 'backup.zip');
    try {
      await text(runCommand(['backup', file, '--download']));
      const content = createReadStream(file).once('close', room.remove);
      // A download that broke off is no backup.
      c.env.outgoing?.once('finish', () => void noteDone(database, 'backup', now).catch(() => undefined));
      return c.body(Readable.toWeb(content) as ReadableStream, 200, {
        'content-type': 'application/zip',
        'content-length': String((await stat(file)).size),
        'content-disposition': `attachment; filename="backup-${dayAt(now, timeZone).name}.zip"`,
      });
    } catch (error) {
      await room.remove();
      throw error;
    }
  });

  routes.get('/restore', onlyFresh(), async (c) => {
    const held = await countMessages(await desk.database());
    return c.html(restorePage(c.var.frame, held));
  });
  routes.post('/restore/look', onlyFresh('/desk/keep/restore'), async (c) => {
    const room = await makeRoom(dataFolder(desk.settings()));
    const file = join(room.path, UPLOADED);
    const socket: Unhurried | undefined = c.env.incoming?.socket;
    if (socket) socket.isUnhurried = true;
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
  routes.post('/restore', onlyFresh('/desk/keep/restore'), async (c) => {
    const { room } = await c.req.parseBody();
    if (typeof room !== 'string' || !UNFINISHED.test(room)) return c.notFound();
    const folder = join(dataFolder(desk.settings()), room);
    if (!existsSync(folder)) throw new Failed('That file isn’t here any more. Upload it once more.');
    const brought = (await json(runCommand(['restore', join(folder, UPLOADED), '--json']))) as Brought;
    await rm(folder, { recursive: true, force: true });
    return c.html(broughtPage(c.var.frame, brought));
  });
  return routes;
}

/**
 * Saves the only file of a form as it comes in, since it may be larger than the memory. There's what the browser says of
 * it, the file, and a last line (RFC 7578).
 */
async function saveUpload({ headers, body }: Request, file: string): Promise<void> {
  const [, boundary] = /;\s*boundary="?([^";]+)/.exec(headers.get('content-type') ?? '') ?? [];
  if (!body || !boundary) throw new Failed('No file has come.');
  const { bavail, bsize } = await statfs(dirname(file));
  // Visitors' messages need some of that, and so does unpacking it.
  if (Number(headers.get('content-length')) > (bavail * bsize) / 4)
    throw new Failed('That file is too large for the disk of the site.');
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
      else if (head.length > MOST_HEAD) throw new Failed('No file has come.');
    }
  }
  await pipeline(body, content, createWriteStream(file, { flags: 'wx', mode: 0o600 }));
  const lastLine = `\r\n--${boundary}--\r\n`;
  await truncate(file, Math.max((await stat(file)).size - lastLine.length, 0));
}
