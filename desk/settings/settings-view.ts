import { html } from 'hono/html';
import { SETTINGS } from '../../settings/schema.ts';
import { type Frame, form, type Html, page } from '../sheet/frame.ts';
import { type Field, type Fields, GROUPS } from './fields.ts';

export type Shown = {
  fields: Fields;
  /** By field or setting; those of no field here are about the rest of `.env`. */
  faults: Fields;
  /** What stood in the fields when she opened the page: only what differs from it is changed. */
  was: Fields;
  /** Names that the environment sets, over `.env`. */
  outside: readonly string[];
  /** Whether there is a password. */
  stored: boolean;
  /** Whose mail server takes the mails for her address, as the value of `service` and what's read. */
  suggested?: readonly string[] | undefined;
  /** The mail account before this one, if she can have it back. */
  lastGood?: string | undefined;
};

const NAMES = [...GROUPS.values()].flatMap((fields) => fields.map(({ name }) => name));
const SMTP_URL = SETTINGS.smtpUrl.name;

/** What's between backticks is typed as it is. */
const marked = (text: string) =>
  text.split('`').map((part, index) => (index % 2 ? html`<code>${part}</code>` : part));

const fault = (words: string | undefined) => words && html`<p class="hot">${words}</p>`;

function entry(field: Field, { fields, faults, outside, stored }: Shown, help: Html | string | undefined) {
  const { name, label, of = name, choices, kind = '' } = field;
  const value = fields[name] ?? '';
  const isOutside = outside.includes(of);
  const isFirstFault = name === NAMES.find((one) => faults[one]);
  const common = html`id="${name}" name="${name}" aria-describedby="${name}-notes"
${isOutside && html` disabled`}${faults[name] && html` aria-invalid="true"`}${isFirstFault && html` autofocus`}`;
  const type = name === 'password' ? 'password' : 'text';
  const hint = type === 'password' && stored ? 'Stored. Leave this empty to keep it.' : '';
  const all = choices?.some(([one]) => one === value) ? choices : [...(choices ?? []), [value]];
  return html`<div class="field ${kind}"><label for="${name}">${label}</label>
${
  choices
    ? html`<select ${common}>${all.map(
        ([one = '', words = one]) =>
          html`<option value="${one}"${one === value && html` selected`}>${words}</option>`,
      )}</select>`
    : html`<input ${common} type="${type}" value="${value}" autocomplete="new-password" placeholder="${hint}">`
}
<div class="notes" id="${name}-notes">${fault(faults[name])}
${isOutside && html`<p>It’s set outside of .env, by whoever starts this. Change it there.</p>`}${help}</div></div>`;
}

/** @param said what the last form did */
export function settingsPage(frame: Frame, shown: Shown, said?: string) {
  const { faults, was, suggested, lastGood } = shown;
  const others = Object.entries(faults).filter(([name]) => name !== SMTP_URL && !NAMES.includes(name));
  const helpOf = ({ name, help }: Field) =>
    name === 'service' && suggested
      ? html`<p class="help">Mail for your address goes to <b>${suggested[1]}</b>, so that’s likely the one.</p>`
      : help && html`<p class="help">${marked(help)}</p>`;
  const body = html`<div class="head"><h1>${Object.keys(faults).length > 0 ? 'Nothing is saved yet.' : 'Settings'}</h1>
${Object.keys(faults).length > 0 && html`<p class="lead">Until it is, your settings stay as they were.</p>`}</div>
<input type="hidden" name="was" value="${JSON.stringify(was)}">
${others.map(([, words]) => fault(words))}
${Array.from(
  GROUPS,
  ([
    title,
    group,
  ]) => html`<section class="group" ${title === 'Mail' && html`id="${SMTP_URL}"`}><h2>${title}</h2>
${title === 'Mail' && fault(faults[SMTP_URL])}
${group.map((field) => entry(field, shown, helpOf(field)))}
${title === 'Mail' && lastGood && html`<p class="row"><button class="button" name="press" value="last-good" formnovalidate>Bring back ${lastGood}</button></p>`}
</section>`,
)}
<div class="deeds"><button class="button button-main">Save</button>
<button class="button" name="press" value="test">Save and send a test mail</button></div>
<p class="help">New mail settings are saved only after your mail server has taken a test mail. That takes a few seconds, or half a minute if it doesn’t answer.</p>`;
  const main = html`<div class="settings">${form(frame, '/desk/settings', body)}</div>`;
  return page(frame, 'Settings', main, said);
}
