import type { Context, Hono } from 'hono';
import { WordsError } from '../../publish/words.ts';
import { SETTINGS, type Setting } from '../../settings/schema.ts';
import { PROJECT_ROOT, readSettings, SettingsError } from '../../settings/settings.ts';
import type { Finding } from '../check/finding.ts';
import { tryMail } from '../check/test-mail.ts';
import type { Desk } from '../desk.ts';
import { readEnv, withValue, writeEnv } from '../env-file.ts';
import { Failed } from '../failures.ts';
import { composeSmtp, readAccount } from '../mail-account.ts';
import { openOwnWords, Refused } from '../words/own-words.ts';
import { writtenNumber } from '../words/written-number.ts';
import type { Frame } from './frame.tsx';
import type { Pages } from './views.tsx';

type Fields = Record<string, string>;

/** The one field here that's one of her words. */
const REPLY_HOURS = 'replyHours';
/** Those with a field of their own. */
const PLAIN = Object.values<Setting<unknown>>(SETTINGS).filter(({ desk }) => desk);
/** Where the faults of what's put together from several fields stand. */
const FIELD_OF: Fields = { SMTP_URL: 'host' };
const SAVED =
  'Saved. The site has it within seconds. If the page shows it, it’s built anew, with your words as they are now.';

/** Her settings as they count now: what's in the environment is so for `npm start` too. */
function look() {
  const file = readEnv(PROJECT_ROOT);
  const env: Record<string, string | undefined> = { ...file.values, ...process.env };
  const { stored, ...account } = readAccount(env.SMTP_URL);
  const fields: Fields = { ...account };
  for (const { name, fallback = '' } of PLAIN) fields[name] = env[name]?.trim() || fallback;
  const names = [...PLAIN.map(({ name }) => name), ...Object.keys(FIELD_OF)];
  const outside = names.filter((name) => process.env[name] !== undefined);
  return { file, env, fields, outside, stored };
}

/** The text to write, and what's wrong by field. */
function judge({ file, env, fields, outside }: ReturnType<typeof look>, typed: Fields, password: string) {
  const { service = '', host = '', port = '', user = '' } = typed;
  const smtp = composeSmtp({ service, host, port, user, password }, env.SMTP_URL);
  const plain = PLAIN.filter(({ name }) => typed[name] !== fields[name]);
  const changes: Fields = { SMTP_URL: smtp.url };
  for (const { name } of plain) changes[name] = typed[name] ?? '';
  for (const name of outside) delete changes[name];
  const faults: Fields = {};
  try {
    readSettings({ ...env, ...changes });
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    for (const { setting, problem } of error.faults)
      faults[FIELD_OF[setting] ?? setting] = words(setting, problem);
  }
  if ('SMTP_URL' in changes) Object.assign(faults, smtp.faults);
  let { text } = file;
  for (const [name, value] of Object.entries(changes)) {
    try {
      text = withValue(text, name, value);
    } catch (error) {
      if (!(error instanceof Failed)) throw error;
      faults[FIELD_OF[name] ?? name] = error.message;
    }
  }
  return { text, faults };
}

/** At its field, the setting needs no name. */
function words(name: string, problem: string): string {
  const wanted = PLAIN.find((setting) => setting.name === name)?.wanted;
  if (wanted === undefined) return `${name} in .env ${problem}.`;
  const said = problem.endsWith(wanted) ? wanted : `this ${problem}`;
  return `${said.charAt(0).toUpperCase()}${said.slice(1)}.`;
}

/** @param saved shows the page again, with the settings as they are by then */
export function addSettings(
  app: Hono,
  desk: Desk,
  pages: Pages,
  frame: () => Frame,
  saved: (c: Context, said: string) => Response,
): void {
  let lastTried: Finding[] = [];
  let lastSaved: Promise<unknown> = Promise.resolve();

  const words = openOwnWords(desk.settings().wordsDir, async () => {});

  async function checkAll() {
    const now = look();
    now.fields[REPLY_HOURS] = String(await words.valueOf([REPLY_HOURS]));
    return now;
  }

  app.get('/settings', async (c) => {
    const { file, env: _, ...shown } = await checkAll();
    const tried = lastTried;
    lastTried = [];
    return c.html(pages.settings(frame(), { ...shown, faults: {}, fingerprint: file.fingerprint, tried }));
  });

  app.post('/settings', async (c) => {
    const body = await c.req.parseBody();
    // Two tabs save one after the other, and the second learns of the first.
    const turn = lastSaved.then(() => save(c, body));
    lastSaved = turn.catch(() => undefined);
    return turn;
  });

  async function save(c: Context, body: Record<string, unknown>): Promise<Response> {
    const read = (name: string) => (typeof body[name] === 'string' ? body[name] : '');
    const now = await checkAll();
    const { file, env: _, ...shown } = now;
    const { text: before, fingerprint } = file;
    const fields: Fields = {};
    for (const name of Object.keys(now.fields)) fields[name] = read(name).trim();
    const { text, faults } = judge(now, fields, read('password'));
    const hours = fields[REPLY_HOURS];
    const isNewPromise = hours !== now.fields[REPLY_HOURS];
    if (isNewPromise && Object.keys(faults).length === 0 && c.req.query('as') === fingerprint) {
      try {
        await words.save([REPLY_HOURS], Number(now.fields[REPLY_HOURS]), writtenNumber(hours ?? ''));
      } catch (error) {
        if (!(error instanceof Refused || error instanceof WordsError)) throw error;
        faults[REPLY_HOURS] = error.message;
      }
    }
    const isStale = c.req.query('as') !== fingerprint;
    if (isStale || Object.keys(faults).length > 0) {
      const meanwhile = isStale ? now.fields : undefined;
      const again = { ...shown, fields, faults, meanwhile, fingerprint, tried: [] };
      return c.html(pages.settings(frame(), again), isStale ? 409 : 422);
    }
    if (text !== before) await writeEnv(PROJECT_ROOT, text);
    if (read('then') === 'test') lastTried = await tryMail(desk.reload());
    const isSame = text === before && !isNewPromise;
    return saved(c, isSame ? 'Nothing was changed.' : SAVED);
  }
}
