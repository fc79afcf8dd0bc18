import { Hono } from 'hono';
import * as v from 'valibot';
import { WordsError } from '../../publish/words.ts';
import { SETTINGS } from '../../settings/schema.ts';
import { PROJECT_ROOT, readSettings, type Settings, SettingsError } from '../../settings/settings.ts';
import { tryMail } from '../check/test-mail.ts';
import type { Desk } from '../desk.ts';
import type { Door } from '../door/door.ts';
import { freshPage } from '../door/pages.ts';
import { Failed } from '../failures.ts';
import type { DeskEnv } from '../sheet/frame.ts';
import { openOwnWords, Refused } from '../words/own-words.ts';
import { writtenNumber } from '../words/written-number.ts';
import { keepLastGood, readEnv, readLastGood, withValue, writeEnv } from './env-file.ts';
import { type Fields, PLAIN, REPLY_HOURS } from './fields.ts';
import { accountName, composeSmtp, readAccount, suggestedFor } from './mail-account.ts';
import { settingsPage } from './settings-view.ts';

const SMTP_URL = SETTINGS.smtpUrl.name;
const MAIL_FROM = SETTINGS.mailFrom.name;
const CONTACT_EMAIL = SETTINGS.contactEmail.name;
/** Whoever changes these gets the mails from then on, so that takes a fresh link. */
const GUARDED = [SMTP_URL, MAIL_FROM, CONTACT_EMAIL, SETTINGS.siteUrl.name];
const DONE = new Map([
  ['saved', 'Saved. The site starts anew with it within seconds.'],
  ['same', 'Nothing was changed.'],
  ['tested', 'Saved, and a test mail was taken. Look in your inbox, and in Junk if it isn’t there.'],
]);

const TYPED = v.record(v.string(), v.string());
const WAS = v.pipe(v.string(), v.parseJson(), TYPED);

/** Her settings, at /desk/settings. */
export function settingsRoutes(desk: Desk, door: Door): Hono<DeskEnv> {
  const routes = new Hono<DeskEnv>();
  const words = openOwnWords(desk.settings().wordsDir, async () => {});

  /** As it is now. What's in the environment counts over `.env`. */
  async function look() {
    const { values } = readEnv(PROJECT_ROOT);
    const env: Record<string, string | undefined> = { ...values, ...process.env };
    const { stored, ...account } = readAccount(env[SMTP_URL]);
    const fields: Fields = { ...account, [REPLY_HOURS]: String(await words.valueOf([REPLY_HOURS])) };
    for (const { name, fallback = '' } of PLAIN) fields[name] = env[name]?.trim() || fallback;
    const outside = [SMTP_URL, ...PLAIN.map(({ name }) => name)].filter((name) => name in process.env);
    return { env, fields, outside, stored, lastGood: await readLastGood(PROJECT_ROOT) };
  }

  routes.get('/', async (c) => {
    const { env, lastGood, ...now } = await look();
    const suggested = env[SMTP_URL] ? undefined : await suggestedFor(desk.settings().contactEmail);
    const shown = {
      ...now,
      was: now.fields,
      faults: {},
      suggested,
      lastGood: accountName(lastGood[SMTP_URL]),
    };
    return c.html(settingsPage(c.var.frame, shown, DONE.get(c.req.query('done') ?? '')));
  });

  routes.post('/', async (c) => {
    const body = v.parse(TYPED, await c.req.parseBody());
    const { env, fields, outside, stored, lastGood } = await look();
    const was = v.parse(WAS, body.was);
    const typed: Fields = {};
    for (const name of Object.keys(fields)) typed[name] = (body[name] ?? was[name] ?? '').trim();
    const isLastGood = body.then === 'last-good';
    const { changes, faults } = isLastGood
      ? { changes: lastGood, faults: {} }
      : changesIn(typed, was, { password: body.password ?? '', smtpUrl: env[SMTP_URL] });
    for (const name of outside) delete changes[name];
    if (!c.var.isFresh && GUARDED.some((name) => name in changes))
      return c.html(freshPage(c.var.frame, c.req.path), 403);
    const hours = isLastGood || typed[REPLY_HOURS] === was[REPLY_HOURS] ? undefined : typed[REPLY_HOURS];
    const isTested = body.then === 'test' || SMTP_URL in changes || MAIL_FROM in changes;

    const next = readNext({ ...env, ...changes }, faults);
    // Where mails can be sent, a new address counts once a link that was mailed there is opened.
    const isAsked = CONTACT_EMAIL in changes && next?.mail.via === 'smtp';
    if (isAsked) delete changes[CONTACT_EMAIL];
    const text = written(changes, faults);
    if (next?.mail.via === 'smtp' && isTested && Object.keys(faults).length === 0) {
      const wrong = (await tryMail(next)).find(({ verdict }) => verdict === 'wrong');
      if (wrong) faults[SMTP_URL] = [wrong.found, wrong.todo].join(' ');
    }
    if (isAsked && Object.keys(faults).length === 0) {
      const asked = door.askNewAddress(c, next);
      await asked.catch(() => {
        faults[CONTACT_EMAIL] = 'No mail could be sent there, so the old address still counts.';
      });
    }
    if (hours !== undefined && Object.keys(faults).length === 0) await saveHours(hours, faults);
    if (Object.keys(faults).length > 0) {
      const shown = {
        fields: typed,
        was,
        faults,
        outside,
        stored,
        lastGood: accountName(lastGood[SMTP_URL]),
      };
      return c.html(settingsPage(c.var.frame, shown), 422);
    }
    if (env[SMTP_URL] && SMTP_URL in changes)
      await keepLastGood(PROJECT_ROOT, { [SMTP_URL]: env[SMTP_URL], [MAIL_FROM]: env[MAIL_FROM] ?? '' });
    if (Object.keys(changes).length > 0) await writeEnv(PROJECT_ROOT, text);
    desk.reload();
    const isSame = Object.keys(changes).length === 0 && hours === undefined;
    const changed = next?.mail.via === 'smtp' && isTested ? 'tested' : isSame ? 'same' : 'saved';
    const done = isAsked ? 'asked' : changed;
    return c.redirect(`/desk/settings?done=${done}`, 303);
  });

  async function saveHours(hours: string, faults: Fields): Promise<void> {
    try {
      await words.save([REPLY_HOURS], await words.valueOf([REPLY_HOURS]), writtenNumber(hours));
    } catch (error) {
      if (!(error instanceof Refused || error instanceof WordsError)) throw error;
      faults[REPLY_HOURS] = error.message;
    }
  }

  return routes;
}

/** What differs from what stood there, as settings. Another device may have changed the rest since. */
function changesIn(typed: Fields, was: Fields, stored: { password: string; smtpUrl: string | undefined }) {
  const changes: Fields = {};
  for (const { name } of PLAIN) if (typed[name] !== was[name]) changes[name] = typed[name] ?? '';
  const { service = '', host = '', port = '', user = '' } = typed;
  const account = { service, host, port, user };
  const isSame = Object.entries(account).every(([name, value]) => value === was[name]);
  if (isSame && !stored.password) return { changes, faults: {} };
  const { url, faults } = composeSmtp({ ...account, password: stored.password }, stored.smtpUrl);
  return { changes: { ...changes, [SMTP_URL]: url }, faults };
}

/** The settings with her changes. Notes what's wrong by field. */
function readNext(env: Record<string, string | undefined>, faults: Fields): Settings | undefined {
  try {
    return readSettings(env);
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    // What's put together from several fields is said at those.
    const hasFields = Object.keys(faults).length > 0;
    for (const { setting, problem } of error.faults)
      if (setting !== SMTP_URL || !hasFields) faults[setting] = inWords(setting, problem);
    return undefined;
  }
}

/** At its field, the setting needs no name. */
function inWords(name: string, problem: string): string {
  const wanted = PLAIN.find((setting) => setting.name === name)?.wanted;
  if (wanted === undefined) return `${name} in .env ${problem}.`;
  const said = problem.endsWith(wanted) ? wanted : `this ${problem}`;
  return `${said.charAt(0).toUpperCase()}${said.slice(1)}.`;
}

/** The text of `.env` with these changes. Notes what it can't hold. */
function written(changes: Fields, faults: Fields): string {
  let { text } = readEnv(PROJECT_ROOT);
  for (const [name, value] of Object.entries(changes)) {
    try {
      text = withValue(text, name, value);
    } catch (error) {
      if (!(error instanceof Failed)) throw error;
      faults[name] = error.message;
    }
  }
  return text;
}
