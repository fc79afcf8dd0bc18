import { Readable } from 'node:stream';
import type { Database } from '../../server/messages/database.ts';
import { eraseMessages } from '../../server/messages/erase.ts';
import { markSpam, notSpam, requeue, setAnswered } from '../../server/messages/owner.ts';
import { messageWithId, pageOfMessages } from '../../server/messages/queries.ts';
import { isFrom, isOneOf } from '../../server/messages/table.ts';
import { dayAt } from '../../server/messages/time.ts';
import { runCommand } from '../command/command.ts';
import { onlyFresh, say } from '../door/door.ts';
import type { DeskApp, Served } from '../sheet/frame.ts';
import { goneMessage, listPage, noteOpened, SHOWN } from './list.ts';
import { erasedWords, erasePage, erasePath, messagePage } from './message.ts';

type Deed = [run: (of: Database, id: string, now: number) => Promise<unknown>, words: string];

/** What she can do with a message, and what she reads once it's done. */
const DEEDS = new Map<string, Deed>([
  ['answered', [setAnswered, 'Marked as answered.']],
  ['not-answered', [(of, id) => setAnswered(of, id, null), 'No longer marked as answered.']],
  ['spam', [markSpam, 'Marked as spam.']],
  ['not-spam', [notSpam, 'No longer marked as spam.']],
  ['send-again', [requeue, 'It’s queued, and goes out next.']],
]);

export function addMessages(app: DeskApp, { settings, database }: Served): void {
  app.get('/messages', (c) => c.html(listPage(database, c.var.frame, c.req.query())));

  app.get('/messages/:file{export\\.(csv|json)}', onlyFresh('/desk/messages'), (c) => {
    const format = c.req.path.endsWith('csv') ? 'csv' : 'json';
    // If it fails, the connection breaks, so the browser doesn't take a part for the whole.
    const content = Readable.from(runCommand(['export', `--${format}`]));
    const file = `messages-${dayAt(c.var.frame.now, settings.timeZone)}.${format}`;
    return c.body(Readable.toWeb(content) as ReadableStream, 200, {
      'content-type': `${format === 'csv' ? 'text/csv' : 'application/json'}; charset=utf-8`,
      'content-disposition': `attachment; filename="${file}"`,
    });
  });

  app.get('/messages/erase', async (c) => {
    const email = c.req.query('email') ?? '';
    const which = isFrom(email);
    const shown = await pageOfMessages(database, { which }, 'newest first', { most: SHOWN });
    return c.html(erasePage(c.var.frame, email, shown));
  });
  app.post('/messages/erase', async (c) => {
    // What came meanwhile stays: she hasn't seen it.
    const { seen } = await c.req.parseBody();
    const which = isOneOf(String(seen).split(' '));
    say(c, erasedWords(await eraseMessages(database, which, settings.mailDir)));
    // Which shows what's left.
    return c.redirect(erasePath(c.req.query('email') ?? ''), 303);
  });

  // A link changes nothing by itself, so “Mark as answered” in a mail leads to the button.
  app.on('GET', ['/messages/:id', '/messages/:id/:asked{answered}'], async (c) => {
    const { frame } = c.var;
    const { id, asked } = c.req.param();
    const message = await messageWithId(database, String(id));
    if (!message) return c.html(goneMessage(frame), 404);
    await noteOpened(database, [message], frame.now);
    return c.html(messagePage(frame, message, asked !== undefined));
  });
  app.post('/messages/:id/:deed', async (c) => {
    const { id, deed } = c.req.param();
    const [run, words = ''] = DEEDS.get(deed) ?? [];
    if (!run) return c.notFound();
    if (await run(database, id, c.var.frame.now)) say(c, words);
    return c.redirect(`/desk/messages/${id}`, 303);
  });
}
