import { createReadStream, existsSync } from 'node:fs';
import { rm, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { Readable } from 'node:stream';
import { json, text } from 'node:stream/consumers';
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
import { saveUpload } from './upload.ts';
import { broughtPage, foundPage, keepPage, restorePage } from './views.ts';

/** How an uploaded file is called in what's said of it. */
const UPLOADED = 'This file';
/** How long it waits for her to press the button. */
const KEPT_MS = HOUR;

/** What she keeps, at /desk/keep: a backup to download or to bring back, and her devices. */
export function keepRoutes(desk: Desk): Hono<DeskEnv> {
  const routes = new Hono<DeskEnv>();
  const newRoom = async () => {
    const room = await makeRoom(dataFolder(desk.settings()));
    return { room, forget: () => rm(room, { recursive: true, force: true }).catch(() => undefined) };
  };

  routes.get('/', async (c) =>
    c.html(keepPage(c.var.frame, await lastDoneAt(await desk.database(), 'backup'))),
  );

  routes.post('/backup', onlyFresh('/desk/keep'), async (c) => {
    const { now, timeZone } = c.var.frame;
    const database = await desk.database();
    const { room, forget } = await newRoom();
    const file = join(room, 'backup.zip');
    try {
      await text(runCommand(['backup', file, '--download']));
      const content = createReadStream(file).once('close', forget);
      // A download that broke off is no backup.
      c.env.outgoing?.once('finish', () => void noteDone(database, 'backup', now).catch(() => undefined));
      return c.body(Readable.toWeb(content) as ReadableStream, 200, {
        'content-type': 'application/zip',
        'content-length': String((await stat(file)).size),
        'content-disposition': `attachment; filename="backup-${dayAt(now, timeZone).name}.zip"`,
      });
    } catch (error) {
      await forget();
      throw error;
    }
  });

  routes.get('/restore', onlyFresh(), async (c) => {
    const held = await countMessages(await desk.database());
    return c.html(restorePage(c.var.frame, held));
  });
  routes.post('/restore/look', onlyFresh('/desk/keep/restore'), async (c) => {
    const { room, forget } = await newRoom();
    const file = join(room, UPLOADED);
    const socket: Unhurried | undefined = c.env.incoming?.socket;
    if (socket) socket.isUnhurried = true;
    try {
      await saveUpload(c.req.raw, file);
      const found = (await json(runCommand(['restore', file, '--look', '--json']))) as Brought;
      setTimeout(forget, KEPT_MS).unref();
      return c.html(foundPage(c.var.frame, found, basename(room)));
    } catch (error) {
      await forget();
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
