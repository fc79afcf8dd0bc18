import { Readable } from 'node:stream';
import type { Database } from '../../server/messages/database.ts';
import { eraseMessages } from '../../server/messages/erase.ts';
import { markSpam, notSpam, requeue, requeueAll, setAnswered } from '../../server/messages/owner.ts';
import { messageWithId, pageOfMessages } from '../../server/messages/queries.ts';
import { isFrom, isSeenFrom, type Message } from '../../server/messages/table.ts';
import { dayAt } from '../../server/messages/time.ts';
import { sentences } from '../command/desk.ts';
import { runCommand } from '../command/run.ts';
import { onlyFresh } from '../door/door.ts';
import type { DeskApp, Served } from '../sheet/frame.ts';
import { goneMessage, listPage, noteOpened, SHOWN } from './list.ts';
import { erasedPage, erasePage, messagePage } from './message.ts';

type Deed = [
  words: string,
  /** Whether it's so, for who comes back to the page that said it. */
  holds: (message: Message) => boolean,
  run: (of: Database, id: string, now: number) => Promise<unknown>,
];

/** What she can do with a message: what she reads once it's done, and how it is. */
const DEEDS = new Map<string, Deed>([
  ['answered', ['Marked as answered.', ({ answered_at }) => answered_at !== null, setAnswered]],
  [
    'not-answered',
    [
      'No longer marked as answered.',
      ({ answered_at }) => answered_at === null,
      (database, id) => setAnswered(database, id, null),
    ],
  ],
  ['spam', ['Marked as spam.', ({ state, held_for }) => state === 'spam' && held_for === null, markSpam]],
  ['not-spam', ['No longer marked as spam.', ({ state }) => state !== 'spam', notSpam]],
  [
    'send-again',
    [
      'It’s queued, and goes out next.',
      ({ state, last_error }) => state === 'waiting' && last_error === null,
      requeue,
    ],
  ],
]);

export function addMessages(app: DeskApp, served: Served): void {
  const { settings, database } = served;

  app.get('/messages', (c) => {
    const { done, ...query } = c.req.query();
    return c.html(
      listPage(served, c.var.frame, query, done === 'send-again' ? 'They were queued again.' : undefined),
    );
  });

  app.post('/messages/send-again', async (c) => {
    await requeueAll(database);
    return c.redirect('/desk/messages?done=send-again', 303);
  });

  app.get('/messages/:file{export\\.(csv|json)}', onlyFresh('/desk/messages'), (c) => {
    const format = c.req.path.endsWith('csv') ? 'csv' : 'json';
    // If it fails, the connection breaks, and the browser doesn't call a part the whole.
    const content = Readable.from(runCommand(['export', `--${format}`]));
    const file = `messages-${dayAt(c.var.frame.now, c.var.frame.timeZone)}.${format}`;
    return c.body(Readable.toWeb(content) as ReadableStream, 200, {
      'content-type': `${format === 'csv' ? 'text/csv' : 'application/json'}; charset=utf-8`,
      'content-disposition': `attachment; filename="${file}"`,
    });
  });

  const allFrom = (email: string) =>
    pageOfMessages(database, { which: isFrom(email) }, 'newest first', { most: SHOWN });
  app.get('/messages/erase', async (c) => {
    const email = c.req.query('email') ?? '';
    return c.html(erasePage(c.var.frame, email, await allFrom(email)));
  });
  app.post('/messages/erase', async (c) => {
    const { frame } = c.var;
    const { email: typed, newest } = await c.req.parseBody();
    const email = String(typed);
    const shown = await allFrom(email);
    if (newest === undefined || shown.rows[0]?.id !== newest)
      return c.html(erasePage(frame, email, shown, 'Another one has come meanwhile, so look again.'), 409);
    const options = { mailDir: settings.mailDir, now: frame.now };
    return c.html(erasedPage(frame, await eraseMessages(database, isSeenFrom(email, newest), options)));
  });

  // A link changes nothing by itself, so “Mark as answered” in a mail leads to the button.
  app.on('GET', ['/messages/:id', '/messages/:id/:asked{answered}'], async (c) => {
    const { frame } = c.var;
    const { id, asked } = c.req.param();
    const message = await messageWithId(database, String(id), frame.now);
    if (!message) return c.html(goneMessage(frame), 404);
    await noteOpened(database, [message], frame.now);
    const [words, holds] = DEEDS.get(c.req.query('done') ?? '') ?? [];
    const said = holds?.(message) ? words : undefined;
    return c.html(messagePage(settings, frame, message, asked !== undefined, sentences(), said));
  });
  app.post('/messages/:id/:deed', async (c) => {
    const { id, deed } = c.req.param();
    const [, , run] = DEEDS.get(deed) ?? [];
    if (!run) return c.notFound();
    const isDone = await run(database, id, c.var.frame.now);
    return c.redirect(`/desk/messages/${id}${isDone ? `?done=${deed}` : ''}`, 303);
  });
}
