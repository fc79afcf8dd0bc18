import { Readable } from 'node:stream';
import type { Context } from 'hono';
import { answerLink } from '../../server/mail/mails.ts';
import type { Database } from '../../server/messages/database.ts';
import { eraseMessages } from '../../server/messages/erase.ts';
import { setOpened } from '../../server/messages/owner.ts';
import {
  countStates,
  countUnanswered,
  eachMessage,
  pageOfMessages,
  unopened,
} from '../../server/messages/queries.ts';
import type { Message } from '../../server/messages/table.ts';
import { dayAt } from '../../server/messages/time.ts';
import { shortPath } from '../../settings/settings.ts';
import { noteAnswer } from '../answered.ts';
import type { Desk } from '../desk.ts';
import { describeErased, findErasable } from '../erase.ts';
import { type Format, inFormat } from '../export.ts';
import { findMessage } from '../find-message.ts';
import type { DeskApp, Sheet } from '../page/sheet.ts';
import type { Pages } from '../page/views.tsx';
import { mailAgain, mailAllAgain, takeForSpam } from '../requeue.ts';
import { VIEWS } from '../state-words.ts';

/** How many messages the inbox shows at once. */
const SHOWN = 50;

export function addMessages(app: DeskApp, desk: Desk, pages: Pages, { frame, done }: Sheet): void {
  /** Unless she asks for others, the messages that wait for an answer. */
  async function chosen(c: Context) {
    const database = await desk.database();
    const unanswered = await countUnanswered(database, Date.now());
    const text = c.req.query('text')?.trim() ?? '';
    const usual = text || unanswered.unanswered === 0 ? 'all' : 'unanswered';
    const view = VIEWS.find((name) => name === c.req.query('view')) ?? usual;
    const only =
      view === 'unanswered' ? { unanswered: true as const } : view === 'all' ? {} : { state: view };
    return { database, unanswered, text, view, filter: { text: text || undefined, ...only } };
  }

  /** That she has these before her. A database that can't be written can still be read: it's only noted later. */
  const noteOpened = (database: Database, shown: readonly Message[]) =>
    setOpened(
      database,
      shown.map(({ id }) => id),
      Date.now(),
    ).catch(() => undefined);

  app.get('/', async (c) => {
    const { timeZone, mail, contactEmail } = desk.settings();
    const { database, unanswered, filter, ...chosenView } = await chosen(c);
    const order = chosenView.view === 'unanswered' ? 'oldest first' : 'newest first';
    const after = c.req.query('after');
    const page = await pageOfMessages(database, filter, order, { most: SHOWN, after });
    // No mail brings these, so whatever she looks for, she sees them once.
    const first = after ? [] : await unopened(database, SHOWN);
    const isFirst = new Set(first.map(({ id }) => id));
    page.rows = page.rows.filter(({ id }) => !isFirst.has(id));
    await noteOpened(database, [...first, ...page.rows]);
    const states = await countStates(database);
    const all = Object.values(states).reduce((sum, count) => sum + count, 0);
    const numbers = { ...unanswered, all, ...states };
    const now = Date.now();
    const mailedTo = mail.via === 'smtp' ? contactEmail : undefined;
    const inbox = { ...chosenView, numbers, first, page, timeZone, now, mailedTo };
    return c.html(pages.inbox(await frame(c), inbox));
  });

  app.get('/export/:format{csv|json}', async (c) => {
    const { timeZone } = desk.settings();
    const format = c.req.param('format') as Format;
    const { database, filter } = await chosen(c);
    const rows = eachMessage(database, filter, 'oldest first');
    const file = `messages-${dayAt(Date.now(), timeZone).name}.${format}`;
    // Excel needs the byte order mark to read UTF-8.
    const content = Readable.toWeb(inFormat(format, rows, { timeZone, bom: true }));
    return c.body(content as ReadableStream, 200, {
      'content-type': `${format === 'csv' ? 'text/csv' : 'application/json'}; charset=utf-8`,
      'content-disposition': `attachment; filename="${file}"`,
    });
  });

  app.get('/messages/:id', async (c) => {
    const settings = desk.settings();
    const database = await desk.database();
    const message = await findMessage(database, c.req.param('id'));
    await noteOpened(database, [message]);
    const shown = { message, reply: answerLink(message, settings), timeZone: settings.timeZone };
    return c.html(pages.message(await frame(c), { ...shown, now: Date.now() }));
  });

  type Action = (database: Database, message: Message, timeZone: string) => Promise<string>;
  const actions: Record<string, Action> = {
    requeue: (database, message, timeZone) => mailAgain(database, message, { timeZone }),
    'mail-again': (database, message, timeZone) => mailAgain(database, message, { timeZone, again: true }),
    answered: (database, message, timeZone) => noteAnswer(database, message, { timeZone }),
    'not-answered': (database, message, timeZone) => noteAnswer(database, message, { timeZone, undo: true }),
    spam: takeForSpam,
  };
  for (const [name, action] of Object.entries(actions)) {
    app.post(`/messages/:id/${name}`, async (c) => {
      const database = await desk.database();
      const message = await findMessage(database, c.req.param('id'));
      return done(
        c,
        `/desk/messages/${message.id}`,
        await action(database, message, desk.settings().timeZone),
      );
    });
  }
  app.post('/requeue-all', async (c) => {
    return done(c, '/desk', await mailAllAgain(await desk.database()));
  });

  app.get('/erase', async (c) => {
    const { timeZone, mailDir } = desk.settings();
    const who = c.req.query('who') ?? '';
    const { rows } = await findErasable(await desk.database(), who);
    const shown = { who, rows, timeZone, now: Date.now(), mailFolder: shortPath(mailDir) };
    return c.html(pages.erase(await frame(c), shown));
  });
  app.post('/erase', async (c) => {
    const { mail, mailDir, database: setting } = desk.settings();
    const database = await desk.database();
    const { which } = await findErasable(database, c.req.query('who') ?? '');
    const erased = await eraseMessages(database, which, { mailDir, now: Date.now() });
    return done(c, '/desk', ...describeErased(erased, { mail, database: setting }));
  });
}
