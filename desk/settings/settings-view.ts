import { html } from 'hono/html';
import { SETTINGS, type Setting } from '../../settings/schema.ts';
import { askFresh } from '../door/pages.ts';
import { type Frame, form, page } from '../sheet/frame.ts';
import { OTHER, PROVIDERS } from './mail-account.ts';

/** The values in the form's fields, by name. Never passwords. */
export type Fields = Record<string, string>;

/** Values and labels; a value alone is both. */
type Choices = readonly (readonly string[])[];

type Field = {
  name: string;
  label: string;
  help?: string;
  /** What it is, or is a part of. */
  setting?: Setting<unknown>;
  choices?: Choices | undefined;
  /** When it's asked for: with another server, or with any. */
  kind?: 'server' | 'login';
};

/** The one field here that's one of her words. */
export const REPLY_HOURS = 'replyHours';

const SMTP = SETTINGS.smtpUrl;
const zones = Intl.supportedValuesOf('timeZone').map((zone) => [zone, zone.replaceAll('_', ' ')]);

const fieldOf = (setting: Setting<unknown>, label: string, choices?: Choices): Field => ({
  name: setting.name,
  label,
  // A menu needs no help with typing.
  help: choices ? setting.meaning.replace(/ Empty: .*/, '') : setting.meaning,
  setting,
  choices,
});

/** What a browser may fill in. */
const FILLED: Fields = {
  password: 'new-password',
  [SETTINGS.contactEmail.name]: 'email',
  [SETTINGS.siteUrl.name]: 'url',
};

const OF_MACHINE = Intl.DateTimeFormat().resolvedOptions().timeZone;

const GROUPS: Record<string, Field[]> = {
  Addresses: [fieldOf(SETTINGS.siteUrl, 'Web address'), fieldOf(SETTINGS.contactEmail, 'Your email address')],
  Mail: [
    {
      setting: SMTP,
      name: 'service',
      label: 'Provider',
      choices: [['', 'None yet'], ...PROVIDERS, [OTHER, 'Another server']],
      help: 'Who sends this site’s emails to you. Until you choose one, each email is saved as a file.',
    },
    { setting: SMTP, name: 'host', label: 'Server', kind: 'server', help: 'Such as `smtp.example.com`.' },
    { setting: SMTP, name: 'port', label: 'Port', kind: 'server', help: 'Most often `465` or `587`.' },
    { setting: SMTP, name: 'user', label: 'Address that you log in with', kind: 'login' },
    {
      setting: SMTP,
      name: 'password',
      label: 'App password',
      kind: 'login',
      help: 'Most providers have you make one in the security settings of your account. Elsewhere it’s your usual password.',
    },
    fieldOf(SETTINGS.mailFrom, 'Sender'),
  ],
  Time: [
    {
      name: REPLY_HOURS,
      label: 'Reply within',
      help: 'In hours. Your page promises it. For each message, reminders and the desk go by what was promised when it came.',
    },
    fieldOf(SETTINGS.timeZone, 'Time zone', [
      ['', `Same as the computer it runs on (${OF_MACHINE})`],
      ...zones,
    ]),
    fieldOf(SETTINGS.reminders, 'Reminders', [
      ['on', 'On'],
      ['off', 'Off'],
    ]),
  ],
  'Keeping messages': [fieldOf(SETTINGS.retentionDays, 'Days that messages are kept')],
};
const FIELDS = Object.values(GROUPS).flat();
const NAMES = FIELDS.map(({ name }) => name);

/** Settings with a field of their own. */
export const PLAIN = FIELDS.flatMap(({ name, setting }) => (setting?.name === name ? [setting] : []));

type Shown = {
  fields: Fields;
  /** By field or setting; those without a field here are about the rest of `.env`. */
  faults: Fields;
  /** The fields' values when she opened the page: only what differs from it is changed. */
  was: Fields;
  /** Names that the environment sets, overriding `.env`. */
  outside: readonly string[];
  /** Of the password, which is never shown. */
  hint: string;
  /** The provider that takes mail for her address, as the value of `service` and its label. */
  suggested?: readonly string[] | undefined;
  /** Whether what's typed needs a fresh link. */
  isLate?: boolean;
  /** The mail account before this one, if she can have it back. */
  lastGood?: string | undefined;
};

const ON_SUPABASE =
  'Your Supabase project takes messages and mails them with its own settings. What you save here applies to this computer, and to your page once you’ve uploaded the folder `dist`. For the project, set it there, too: `npx supabase@3 secrets set NAME=VALUE`, as docs/deploy-static.md says.';
const LATE = 'Open one in this browser, then come back to this tab and save: what you typed stays here.';

/** What's between backticks is typed as it is. */
const marked = (text: string) =>
  text.split('`').map((part, index) => (index % 2 ? html`<code>${part}</code>` : part));

/** What's wrong with the mail account as a whole is said at its provider, or at the server that she typed. */
const faultOf = ({ faults, fields }: Pick<Shown, 'faults' | 'fields'>, name: string) =>
  faults[name] ?? (name === (fields.service === OTHER ? 'host' : 'service') ? faults[SMTP.name] : undefined);

const fault = (words: string | undefined) => words && html`<p class="hot">${words}</p>`;

function entry(field: Field, shown: Shown) {
  const { fields, outside, hint, suggested, isLate } = shown;
  const { name, label, setting = { name }, choices, kind = '' } = field;
  const value = fields[name] ?? '';
  const wrong = faultOf(shown, name);
  const isOutside = outside.includes(setting.name);
  // The link that's needed first is said above.
  const isFirstFault = !isLate && name === NAMES.find((one) => faultOf(shown, one));
  const common = html`id="${name}" name="${name}" aria-describedby="${name}-notes"
${isOutside && html` disabled`}${wrong && html` aria-invalid="true"`}${isFirstFault && html` autofocus`}`;
  const type = name === 'password' ? 'password' : 'text';
  const help =
    name === 'service' && suggested
      ? html`Mail for your address goes to <b>${suggested[1]}</b>, so that’s likely the one.`
      : field.help && marked(field.help);
  const all = choices?.some(([one]) => one === value) ? choices : [...(choices ?? []), [value]];
  return html`<div class="field ${kind}"><label for="${name}">${label}</label>
${
  choices
    ? html`<select ${common}>${all.map(
        ([one = '', words = one]) =>
          html`<option value="${one}"${one === value && html` selected`}>${words}</option>`,
      )}</select>`
    : html`<input ${common} type="${type}" value="${value}" autocomplete="${FILLED[name] ?? 'off'}" autocapitalize="none" autocorrect="off" spellcheck="false" placeholder="${type === 'password' && hint}">`
}
<div class="notes" id="${name}-notes">${fault(wrong)}
${isOutside && html`<p>It’s set where this site is started, so change it there.</p>`}${help && html`<p class="help">${help}</p>`}</div></div>`;
}

export function settingsPage(frame: Frame, shown: Shown) {
  const { fields, faults, was, isLate, lastGood } = shown;
  const isOnSupabase = frame.settings.supabaseUrl !== undefined;
  const others = Object.entries(faults).filter(([name]) => name !== SMTP.name && !NAMES.includes(name));
  const isRefused = isLate || Object.keys(faults).length > 0;
  // A Supabase project mails by its own settings.
  const hasMail = !isOnSupabase || fields.service !== '';
  const shownGroups = Object.entries(GROUPS).filter(([title]) => hasMail || title !== 'Mail');
  const groups = shownGroups.map(([title, group]) => {
    const isMail = title === 'Mail';
    return html`<section class="group" ${isMail && html`id="${SMTP.name}"`}><h2>${title}</h2>
${group.map((field) => entry(field, shown))}
</section>`;
  });
  const head = html`<div class="head"><h1>${isRefused ? 'Nothing is saved yet.' : 'Settings'}</h1>
${isRefused && html`<p class="lead">Until it is, your settings stay as they were.</p>`}
${isOnSupabase && html`<p class="lead">${marked(ON_SUPABASE)}</p>`}
${isLate && askFresh('/desk/settings', LATE, '_blank')}</div>`;
  // The first button is the one that Enter presses.
  const body = html`<input type="hidden" name="was" value="${JSON.stringify(was)}">
${fields.sure && html`<input type="hidden" name="sure" value="${fields.sure}">`}
${others.map(([, words]) => fault(words))}
${groups}
<div class="deeds"><button class="button button-main">Save</button>
${hasMail && html`<button class="button" name="press" value="test">Save and send a test email</button>`}
${lastGood && html`<input type="hidden" name="good" value="${lastGood}"><button class="button" name="press" value="last-good">Bring back ${lastGood}</button>`}</div>
${hasMail && html`<p class="help">New mail settings are saved only after your mail server has accepted a test email. That takes a few seconds, or minutes if it doesn’t answer.</p>`}`;
  return page(frame, 'Settings', html`${head}${form(frame, '/desk/settings', body)}`);
}
