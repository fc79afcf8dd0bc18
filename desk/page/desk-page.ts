import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import type { Context, Hono } from 'hono';
import { hashed } from '../../publish/folder.ts';
import { FONT_SOURCE } from '../../publish/fonts.ts';
import { answerLink, pageName } from '../../server/mail/mails.ts';
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
import { PROJECT_ROOT, shortPath } from '../../settings/settings.ts';
import { noteAnswer } from '../answered.ts';
import { check } from '../check/check.ts';
import type { Desk } from '../desk.ts';
import { describeErased, findErasable } from '../erase.ts';
import { type Format, inFormat } from '../export.ts';
import { explain, Failed } from '../failures.ts';
import { findMessage } from '../find-message.ts';
import { mailAgain, mailAllAgain, takeForSpam } from '../requeue.ts';
import { VIEWS } from '../state-words.ts';
import { whenCame } from '../time.ts';
import { addWords } from '../words/words-page.ts';
import { createAccess, headersFor } from './access.ts';
import type { Frame } from './frame.tsx';
import { addSettings } from './settings-routes.ts';
import type { Pages } from './views.tsx';

/** How many messages the inbox shows at once. */
const SHOWN = 50;
const AWAY = { title: 'No messages', heading: 'Your messages can’t be reached just now.' };

/** Adds her pages, which are at `origin`, with the link that opens them once. */
export async function addPages(app: Hono, desk: Desk, pages: Pages, origin: string): Promise<string> {
  let { timeZone, siteUrl, contactEmail, mail, mailDir, database: setting } = desk.settings();
  const { css, font } = await readAssets();
  const access = createAccess(origin, (c, why, todo) => c.html(pages.refused(css.path, why, todo), 403));
  let notices: string[] = [];

  /** What's the same on every page. It tells once what the last form did. */
  function frame(): Frame {
    const told = notices;
    const now = Date.now();
    const location = timeZone.split('/').at(-1)?.replaceAll('_', ' ');
    notices = [];
    return {
      css: css.path,
      notices: told,
      site: `of ${pageName(siteUrl)}`,
      drawn: `${whenCame(now, now, timeZone)}, ${location} time`,
    };
  }

  /** Redirects, so that reloading the next page doesn't do it again. */
  function done(c: Context, next: string, ...said: string[]): Response {
    notices = said;
    return c.redirect(next, 303);
  }

  app.use((c, next) => headersFor(c.req.path)(c, next));
  app.use(async (c, next) => {
    await next();
    const isAsset = /^\/(words\/)?assets\//.test(c.req.path) && c.res.ok;
    c.header('cache-control', isAsset ? 'max-age=31536000, immutable' : 'no-store');
  });
  app.use(access.guard);
  app.get('/enter/:secret', access.enter);
  app.get(css.path, (c) => c.body(css.body.toString(), 200, { 'content-type': 'text/css; charset=utf-8' }));
  app.get(font.path, (c) => c.body(Buffer.from(font.body), 200, { 'content-type': 'font/woff2' }));

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
    return c.html(pages.inbox(frame(), inbox));
  });

  app.get('/export/:format{csv|json}', async (c) => {
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
    const database = await desk.database();
    const message = await findMessage(database, c.req.param('id'));
    await noteOpened(database, [message]);
    const reply = answerLink(message, desk.settings());
    return c.html(pages.message(frame(), { message, reply, timeZone, now: Date.now() }));
  });

  const actions: Record<string, (database: Database, message: Message) => Promise<string>> = {
    requeue: (database, message) => mailAgain(database, message, { timeZone }),
    'mail-again': (database, message) => mailAgain(database, message, { timeZone, again: true }),
    answered: (database, message) => noteAnswer(database, message, { timeZone }),
    'not-answered': (database, message) => noteAnswer(database, message, { timeZone, undo: true }),
    spam: takeForSpam,
  };
  for (const [name, action] of Object.entries(actions)) {
    app.post(`/messages/:id/${name}`, async (c) => {
      const database = await desk.database();
      const message = await findMessage(database, c.req.param('id'));
      return done(c, `/messages/${message.id}`, await action(database, message));
    });
  }
  app.post('/requeue-all', async (c) => {
    return done(c, '/', await mailAllAgain(await desk.database()));
  });

  app.get('/erase', async (c) => {
    const who = c.req.query('who') ?? '';
    const { rows } = await findErasable(await desk.database(), who);
    return c.html(
      pages.erase(frame(), { who, rows, timeZone, now: Date.now(), mailFolder: shortPath(mailDir) }),
    );
  });
  app.post('/erase', async (c) => {
    const database = await desk.database();
    const { which } = await findErasable(database, c.req.query('who') ?? '');
    const erased = await eraseMessages(database, which, { mailDir, now: Date.now() });
    return done(c, '/', ...describeErased(erased, { mail, database: setting }));
  });

  // Looking takes some seconds; the browser shows this until it has the next page.
  app.get('/doctor', (c) => {
    c.header('refresh', '0; url=/doctor/findings');
    const words = 'It takes a few seconds, and half a minute when somebody doesn’t answer.';
    return c.html(pages.plain(frame(), { title: 'Doctor', heading: 'The doctor is looking …', words }));
  });
  app.get('/doctor/findings', async (c) => c.html(pages.doctor(frame(), await check())));

  addWords(app, desk.settings, (script, styles) => pages.words(frame(), script, styles));

  addSettings(app, desk, pages, frame, (c, said) => {
    ({ timeZone, siteUrl, contactEmail, mail, mailDir, database: setting } = desk.reload());
    return done(c, '/settings', said);
  });

  const fault = (words: string) =>
    pages.plain(frame(), { title: 'Not done', heading: 'That didn’t work.', words });
  app.notFound((c) => c.html(fault('There’s no such page.'), 404));
  app.onError((error, c) => {
    if (error instanceof Failed) return c.html(fault(error.message), c.req.method === 'GET' ? 404 : 409);
    try {
      const words = `${explain(error)} Words, Settings and Doctor still work.`;
      return c.html(pages.plain(frame(), { ...AWAY, words }), 503);
    } catch {
      console.error(error);
      const words = 'Something unexpected went wrong. The terminal where the desk runs says more.';
      return c.html(fault(words), 500);
    }
  });
  return access.link;
}

/** The colours and type of the site, and what only the desk needs. */
async function readAssets() {
  const site = ['styles/tokens.first', 'styles/tokens', 'styles/base.first', 'styles/base'];
  const parts = [...site, 'drawings/drawing.first', 'ui/TitleBlock.first.module'];
  const files = [...parts.map((name) => `site/${name}.css`), 'desk/page/desk.css', 'desk/page/settings.css'];
  const rules = await Promise.all(files.map((path) => readFile(join(PROJECT_ROOT, path), 'utf8')));
  const font = hashed('/assets/archivo.woff2', await readFile(FONT_SOURCE));
  const face = (family: string, weight: string, stretch: string) =>
    `@font-face{font-family:"${family}";src:url(${font.path});font-weight:${weight};font-stretch:${stretch}}`;
  const faces = [face('Archivo', '400 700', '100%'), face('Archivo Wide', '800', '125%')];
  return { font, css: hashed('/assets/desk.css', [...faces, ...rules].join('\n')) };
}
