import * as v from 'valibot';
import { noteDelivered } from '../../server/messages/claims.ts';
import { deliveredWith } from '../../server/messages/last-done.ts';
import { SETTINGS } from '../../settings/schema.ts';
import {
  loadEnv,
  PROJECT_ROOT,
  readEnvFile,
  readSettings,
  type Settings,
  SettingsError,
  withContainerMail,
} from '../../settings/settings.ts';
import { checkAddress } from '../check/server.ts';
import { tryMail } from '../check/test-mail.ts';
import { sentences } from '../command/command.ts';
import { say } from '../door/door.ts';
import { newAddressMail } from '../door/mails.ts';
import { publicOrigin } from '../door/place.ts';
import type { DeskApp, Served } from '../sheet/frame.ts';
import type { Drafts } from '../words/draft.ts';
import { writtenNumber } from '../words/values.ts';
import { keepLastGood, readLastGood, withValue, writeEnv } from './env-file.ts';
import { accountName, composeSmtp, readAccount, suggestedFor } from './mail-account.ts';
import { type Fields, PLAIN, REPLY_HOURS, settingsPage } from './settings-view.ts';

const SMTP_URL = SETTINGS.smtpUrl.name;
const MAIL_FROM = SETTINGS.mailFrom.name;
const CONTACT_EMAIL = SETTINGS.contactEmail.name;
const SITE_URL = SETTINGS.siteUrl.name;
/** Whoever changes these could get the mails from then on, so it takes a fresh link. */
const GUARDED = [SMTP_URL, MAIL_FROM, CONTACT_EMAIL, SITE_URL];

const TO_UPLOAD =
  'The folder dist has the new hours. They take effect once you’ve uploaded it, and set SENTENCES in your project again.';

const SAVED_HERE = 'Saved on this computer. To apply it online, see above.';

const NO_HTTPS = { verdict: 'wrong', found: 'Your desk needs an address with https.' };

const TYPED = v.record(v.string(), v.string());
const WAS = v.pipe(v.string(), v.parseJson(), TYPED);

/** @param dist where the page is published, with the hours that it promises */
export function addSettings(app: DeskApp, served: Served, words: Drafts, dist: string): void {
  const { settings, database } = served;

  /** The settings as they are now. The environment overrides `.env`. */
  async function look() {
    const env = withContainerMail(loadEnv(PROJECT_ROOT));
    const { stored, ...account } = readAccount(env[SMTP_URL]);
    const fields: Fields = { ...account, [REPLY_HOURS]: String(sentences(dist).replyHours) };
    for (const { name, fallback = '' } of PLAIN) fields[name] = env[name]?.trim() || fallback;
    const { values } = readEnvFile(PROJECT_ROOT);
    const outside = [SMTP_URL, ...PLAIN.map(({ name }) => name)].filter(
      (name) => process.env[name]?.trim() || (env[name] && !values[name]?.trim()),
    );
    const before = await readLastGood(PROJECT_ROOT);
    const lastGood = accountName(before[SMTP_URL]);
    const hint = stored ? 'Stored. Leave this empty to keep it.' : '';
    return { env, before, shown: { fields, was: fields, faults: {}, outside, hint, lastGood } };
  }

  app.get('/settings', async (c) => {
    const { env, shown } = await look();
    const suggested = env[SMTP_URL] ? undefined : await suggestedFor(settings.contactEmail);
    return c.html(settingsPage(c.var.frame, { ...shown, suggested }));
  });

  app.post('/settings', async (c) => {
    const body = v.parse(TYPED, await c.req.parseBody());
    const { env, before, shown } = await look();
    const was = v.parse(WAS, body.was);
    const typed: Fields = {};
    for (const name of Object.keys(shown.fields)) typed[name] = bare(body[name] ?? was[name]);
    const password = bare(body.password);
    const isLastGood = body.press === 'last-good';
    const faults: Fields = {};
    const changes = changesIn(typed, was, isLastGood ? undefined : password, env[SMTP_URL], faults);
    if (isLastGood) Object.assign(changes, before);
    // She has already brought it back in another tab.
    if (isLastGood && body.good !== shown.lastGood) faults[SMTP_URL] = 'This has changed in the meantime.';
    for (const name of shown.outside) delete changes[name];
    function refuse(status: 403 | 422) {
      const isLate = status === 403;
      if (password) shown.hint = 'Type it again.';
      return c.html(settingsPage(c.var.frame, { ...shown, fields: typed, was, faults, isLate }), status);
    }
    if (!c.var.device?.isFresh && GUARDED.some((name) => name in changes)) return refuse(403);
    const hours = typed[REPLY_HOURS] === was[REPLY_HOURS] ? undefined : typed[REPLY_HOURS];
    const isWell = () => Object.keys(faults).length === 0;

    const next = readNext({ ...env, ...changes }, faults);
    const why = hours !== undefined && (await words.whyNot(REPLY_HOURS, writtenNumber(hours)));
    if (why) faults[REPLY_HOURS] = why;
    const canMail = next?.mail.via === 'smtp';
    if (body.press === 'test' && next && !canMail) faults[SMTP_URL] = 'Choose one first: there’s none yet.';
    const isMoved = CONTACT_EMAIL in changes;
    if (changes[CONTACT_EMAIL] === '') faults[CONTACT_EMAIL] = inWords(CONTACT_EMAIL, 'is missing');
    if (isMoved && !canMail && settings.mail.via === 'smtp' && isWell())
      faults[CONTACT_EMAIL] = 'Change the address first, then the mail.';
    // Where mails can be sent, a new address counts once a link that was mailed there is opened.
    const isAsked = isMoved && canMail;
    if (isAsked) delete changes[CONTACT_EMAIL];
    // The mail with that link is a test, too.
    const isTested =
      canMail && !isAsked && (body.press === 'test' || SMTP_URL in changes || MAIL_FROM in changes);
    const site = publicOrigin(settings.siteUrl);
    const sure = String(next?.siteUrl);
    // From afar, this address is her only way to her desk.
    if (SITE_URL in changes && c.var.origin === site && body.sure !== sure && isWell()) {
      const to = publicOrigin(sure);
      const { verdict, found } = to ? await checkAddress(to, site) : NO_HTTPS;
      if (verdict !== 'ok') {
        faults[SITE_URL] = `${found} You may be locked out of your desk. Save again if you’re sure.`;
        typed.sure = sure;
      }
    }
    if ((isTested || isAsked) && isWell()) {
      const wrong = await tryMail(next, isAsked && (await newAddressMail(served, next, c.var.origin)));
      if (wrong) faults[wrong.link?.split('#')[1] ?? SMTP_URL] = [wrong.found, wrong.todo].join(' ');
      else await noteDelivered(database, deliveredWith(next), c.var.frame.now);
    }
    if (!isWell()) return refuse(422);

    if (env[SMTP_URL] && SMTP_URL in changes)
      await keepLastGood(PROJECT_ROOT, { [SMTP_URL]: env[SMTP_URL], [MAIL_FROM]: env[MAIL_FROM] ?? '' });
    const isSame = Object.keys(changes).length === 0;
    let { text } = readEnvFile(PROJECT_ROOT);
    for (const [name, value] of Object.entries(changes)) text = withValue(text, name, value);
    if (!isSame) await writeEnv(PROJECT_ROOT, text);
    // Visitors see these at once, so they come last.
    if (hours !== undefined) await words.saveAtOnce(REPLY_HOURS, writtenNumber(hours));
    const done = [
      !isSame && (settings.supabaseUrl ? SAVED_HERE : 'Saved. The site restarts with it within seconds.'),
      hours !== undefined && (settings.supabaseUrl ? TO_UPLOAD : isSame && 'Saved and published.'),
      isTested && 'Your mail server accepted a test email. Check your inbox, and Junk if it isn’t there.',
      isAsked && 'Your new address takes effect once you’ve opened the link mailed to it, on this device.',
    ];
    say(c, done.filter(Boolean).join(' ') || 'Nothing was changed.');
    return c.redirect('/desk/settings', 303);
  });
}

/** Without what's copied along: invisible characters, except joiners, and the no-break spaces of Google's app passwords. */
const bare = (text = '') =>
  text
    .replace(/(?![\u200C\u200D])\p{DI}/gu, '')
    .trim()
    .replace(/\s/g, ' ');

/**
 * What differs from what stood there, as settings. Another device may have changed the rest since. Notes faults by field.
 *
 * @param password undefined leaves the mail account out
 */
function changesIn(typed: Fields, was: Fields, password: string | undefined, stored = '', faults: Fields) {
  const changes: Fields = {};
  for (const { name } of PLAIN) if (typed[name] !== was[name]) changes[name] = typed[name] ?? '';
  const { service = '', host = '', port = '', user = '' } = typed;
  const account = { service, host, port, user };
  const isSame = Object.entries(account).every(([name, value]) => value === was[name]);
  if (password === undefined || (isSame && !password)) return changes;
  const composed = composeSmtp({ ...account, password }, stored);
  // There was none, and there still is none.
  if (!composed.url && !stored && !password) return changes;
  Object.assign(faults, composed.faults);
  if (!service && user && password) faults[SMTP_URL] = 'Choose your provider first.';
  return { ...changes, [SMTP_URL]: composed.url };
}

/** The settings with her changes. Notes what's wrong by field. */
function readNext(env: Record<string, string | undefined>, faults: Fields): Settings | undefined {
  try {
    return readSettings(env);
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    // What's put together from several fields is reported at those.
    const hasFields = Object.keys(faults).length > 0;
    for (const { setting, problem } of error.faults)
      if (setting !== SMTP_URL || !hasFields) faults[setting] = inWords(setting, problem);
    return undefined;
  }
}

/** Beside its field, the setting needs no name, and the help already says what's right. */
const inWords = (name: string, problem: string) =>
  `${PLAIN.some((setting) => setting.name === name) ? 'This' : `${name} in .env`} ${problem}.`;
