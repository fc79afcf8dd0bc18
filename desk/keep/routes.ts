import { execFile } from 'node:child_process';
import { createReadStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { Hono } from 'hono';
import { html } from 'hono/html';
import { lastDoneAt } from '../../server/messages/last-done.ts';
import { dayAt } from '../../server/messages/time.ts';
import { PROJECT_ROOT } from '../../settings/settings.ts';
import type { Desk } from '../command/desk.ts';
import { Failed } from '../command/failures.ts';
import { onlyFresh } from '../door/door.ts';
import { type DeskEnv, type Frame, page, press } from '../sheet/frame.ts';
import { whenCame } from '../sheet/time.ts';

const COMMAND = join(PROJECT_ROOT, 'desk/desk-command.ts');

/** What she keeps, at /desk/keep: a backup to download, and her devices. */
export function keepRoutes(desk: Desk): Hono<DeskEnv> {
  const routes = new Hono<DeskEnv>();
  routes.get('/', async (c) =>
    c.html(keepPage(c.var.frame, await lastDoneAt(await desk.database(), 'backup'))),
  );

  // In a process of its own, and visitors are answered meanwhile.
  routes.post('/backup', onlyFresh('/desk/keep'), async (c) => {
    const { now, timeZone } = c.var.frame;
    const folder = await mkdtemp(join(tmpdir(), 'desk-backup-'));
    const file = join(folder, 'backup.zip');
    const forget = () => rm(folder, { recursive: true, force: true });
    try {
      await promisify(execFile)(process.execPath, [COMMAND, 'backup', file, '--no-secrets']);
    } catch (error) {
      await forget();
      throw new Failed(`No backup was made. ${(error as { stderr?: string }).stderr ?? ''}`.trim());
    }
    const content = createReadStream(file).once('close', forget);
    return c.body(Readable.toWeb(content) as ReadableStream, 200, {
      'content-type': 'application/zip',
      'content-disposition': `attachment; filename="backup-${dayAt(now, timeZone).name}.zip"`,
    });
  });
  return routes;
}

function keepPage(frame: Frame, lastBackupAt: number | undefined) {
  const age =
    lastBackupAt === undefined
      ? 'You haven’t made a backup yet.'
      : `The last backup is from ${whenCame(lastBackupAt, frame.now, frame.timeZone)}.`;
  return page(
    frame,
    'Keep',
    html`<div class="head"><h1>Keep</h1><p class="lead">${age} Keep one on another machine than the site.</p>
<div class="row">${press(frame, '/desk/keep/backup', 'Download a backup', true)}
<a class="button" href="/desk/devices">Your devices</a></div></div>
<section class="group"><h2>What’s in it</h2>
<p>All messages, your words and photo, the mails in its mail folder, and your settings without passwords. It holds what visitors wrote to you, so keep it where only you can read it.</p></section>
<section class="group"><h2>Getting it back</h2>
<p>On the machine that the site runs on, into a place that’s still empty: <code>npm run desk -- restore FILE</code>. It says what’s in the file, and never replaces anything.</p></section>`,
  );
}
