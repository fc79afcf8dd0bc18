import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import type { Context, Hono } from 'hono';
import { hashed } from '../../build/files.ts';
import { FONT_SOURCE } from '../../build/fonts.ts';
import { ROOT } from '../../build/vite.ts';
import { pageName } from '../../mail/layout.ts';
import type { Database } from '../../messages/database.ts';
import { dayAt } from '../../messages/day.ts';
import { eraseMessages } from '../../messages/erase.ts';
import { astrayWords, countAstray } from '../../messages/mail-places.ts';
import { type Message, STATE_NAMES, type State } from '../../messages/message.ts';
import { countByState, countUnanswered, eachMessage } from '../../messages/queries.ts';
import { shortPath } from '../../settings/settings.ts';
import { noteAnswer } from '../answered.ts';
import type { Desk } from '../desk.ts';
import { examine } from '../doctor/checks.ts';
import { describeErased, findErasable } from '../erase.ts';
import { type Format, inFormat } from '../export.ts';
import { explain } from '../failures.ts';
import { findMessage } from '../messages.ts';
import { draftReply } from '../reply.ts';
import { letIn, mailAgain, takeForSpam } from '../requeue.ts';
import { readFigures } from '../stats.ts';
import { createAccess, HEADERS } from './access.ts';
import type * as Views from './views.tsx';

/** How many messages the inbox shows at first, and how many more each time. */
const SHOWN = 50;

/** Adds her pages, which are at `origin`. Returns the link that opens them once. */
export async function addPages(app: Hono, desk: Desk, views: typeof Views, origin: string): Promise<string> {
  const { timeZone, siteUrl, contactEmail, mail, mailDir, database: setting } = desk.settings();
  const { css, font } = await readAssets();
  const access = createAccess(origin, (c, why, todo) => c.html(views.refusedPage(css.path, why, todo), 403));
  const facts: Views.Frame['facts'] = [
    ['Messages', setting.engine === 'sqlite' ? shortPath(setting.file) : 'Postgres'],
    ['Mailed to', contactEmail],
    ['Times', timeZone],
  ];
  let notices: string[] = [];

  /** What's the same on every page. It tells once what the last form did. */
  function frame(): Views.Frame {
    const told = notices;
    notices = [];
    return { css: css.path, notices: told, site: pageName(siteUrl), facts };
  }

  /** Redirects, so that reloading the next page doesn't do it again. */
  function done(c: Context, next: string, ...said: string[]): Response {
    notices = said;
    return c.redirect(next, 303);
  }

  app.use(HEADERS, async (c, next) => {
    await next();
    const isAsset = c.req.path.startsWith('/assets/') && c.res.ok;
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
    const view = views.VIEWS.find((name) => name === c.req.query('view')) ?? usual;
    const only =
      view === 'unanswered' ? { unanswered: true as const } : view === 'all' ? {} : { state: view };
    return { database, unanswered, text, view, filter: { text: text || undefined, ...only } };
  }

  app.get('/', async (c) => {
    const { database, unanswered, filter, ...chosenView } = await chosen(c);
    const most = Number.parseInt(c.req.query('most') ?? '', 10) || SHOWN;
    const order = chosenView.view === 'unanswered' ? 'oldest first' : 'newest first';
    const rows: Message[] = [];
    for await (const row of eachMessage(database, filter, order)) if (rows.push(row) > most) break;
    const next = rows.length > most ? most + SHOWN : undefined;
    const states = await countByState(database, STATE_NAMES);
    const inState = Object.fromEntries(STATE_NAMES.map((state) => [state, states[state].count]));
    const all = Object.values(states).reduce((sum, { count }) => sum + count, 0);
    const numbers = { ...unanswered, all, ...(inState as Record<State, number>) };
    const now = Date.now();
    const astray = astrayWords(await countAstray(database, now));
    const inbox = { ...chosenView, numbers, astray, rows: rows.slice(0, most), next, now };
    return c.html(views.inboxPage(frame(), inbox));
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
    const message = await findMessage(await desk.database(), c.req.param('id'));
    const draft = draftReply(message, desk.settings());
    return c.html(views.messagePage(frame(), { message, draft, timeZone, now: Date.now() }));
  });

  const deeds: Record<string, (database: Database, message: Message) => Promise<string>> = {
    requeue: async (database, message) => (await mailAgain(database, message, { timeZone })).said,
    'mail-again': async (database, message) =>
      (await mailAgain(database, message, { timeZone, again: true })).said,
    answered: async (database, message) => (await noteAnswer(database, message, { timeZone })).said,
    'not-answered': async (database, message) =>
      (await noteAnswer(database, message, { timeZone, undo: true })).said,
    spam: takeForSpam,
    'not-spam': async (database, message) => (await letIn(database, message)).said,
  };
  for (const [name, deed] of Object.entries(deeds)) {
    app.post(`/messages/:id/${name}`, async (c) => {
      const database = await desk.database();
      const message = await findMessage(database, c.req.param('id'));
      return done(c, `/messages/${message.id}`, await deed(database, message));
    });
  }
  app.post('/requeue-all', async (c) => {
    const { said } = await mailAgain(await desk.database(), 'all', { timeZone });
    return done(c, '/', said);
  });

  app.get('/erase', async (c) => {
    const who = c.req.query('who') ?? '';
    const { rows } = await findErasable(await desk.database(), who);
    return c.html(views.erasePage(frame(), { who, rows, timeZone, mailFolder: shortPath(mailDir) }));
  });
  app.post('/erase', async (c) => {
    const database = await desk.database();
    const { which } = await findErasable(database, c.req.query('who') ?? '');
    const erased = await eraseMessages(database, which, { mailDir, now: Date.now() });
    return done(c, '/', ...describeErased(erased, { mail, database: setting }).map(({ line }) => line));
  });

  app.get('/figures', async (c) =>
    c.html(views.figuresPage(frame(), await readFigures(await desk.database(), timeZone))),
  );
  // Looking takes some seconds; the browser shows this until it has the next page.
  app.get('/doctor', (c) => {
    c.header('refresh', '0; url=/doctor/findings');
    const words = 'It takes a few seconds, and half a minute when somebody doesn’t answer.';
    return c.html(views.plainPage(frame(), 'Doctor', 'The doctor is looking …', words));
  });
  app.get('/doctor/findings', async (c) => c.html(views.doctorPage(frame(), await examine(undefined, {}))));

  const fault = (words: string) => views.plainPage(frame(), 'Not done', 'That didn’t work.', words);
  app.notFound((c) => c.html(fault('There’s no such page.'), 404));
  app.onError((error, c) => c.html(fault(sentence(error)), 500));
  return access.link;
}

function sentence(error: unknown): string {
  try {
    return explain(error);
  } catch {
    console.error(error);
    return 'Nobody foresaw this. The terminal where the desk runs says more.';
  }
}

/** The colours and type of the site, and what only the desk needs. */
async function readAssets() {
  const site = ['styles/tokens.first', 'styles/tokens', 'styles/base.first', 'styles/base'];
  const parts = [...site, 'drawings/drawing.first', 'ui/TitleBlock.first.module'];
  const files = [...parts.map((name) => `site/${name}.css`), 'desk/page/desk.css'];
  const rules = await Promise.all(files.map((path) => readFile(join(ROOT, path), 'utf8')));
  const font = hashed('/assets/archivo.woff2', await readFile(FONT_SOURCE));
  const face = (family: string, weight: string, stretch: string) =>
    `@font-face{font-family:"${family}";src:url(${font.path});font-weight:${weight};font-stretch:${stretch}}`;
  const faces = [face('Archivo', '400 700', '100%'), face('Archivo Wide', '800', '125%')];
  return { font, css: hashed('/assets/desk.css', [...faces, ...rules].join('\n')) };
}
