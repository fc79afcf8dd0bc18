import { type DeskGroup, SETTINGS, type Setting } from '../../settings/schema.ts';
import type { Finding } from '../check/finding.ts';
import { OTHER, PROVIDERS } from '../mail-account.ts';
import { type Frame, page } from './frame.tsx';

type Fields = Record<string, string>;
type Shown = {
  /** What stands in the fields. Passwords never do. */
  fields: Fields;
  /** By field; those of no field here are about the rest of `.env`. */
  faults: Fields;
  /** What `.env` says by now, if somebody has changed it since the page was opened. */
  meanwhile?: Fields | undefined;
  /** Names that the environment sets, over `.env`. */
  outside: string[];
  /** Whether there is a password. */
  stored: boolean;
  fingerprint: string;
  /** What came of a test mail. */
  tried: Finding[];
};
type Field = { name: string; label: string; help?: string; of?: string; choices?: string[][]; kind?: string };

const zones = Intl.supportedValuesOf('timeZone').map((zone) => [zone, zone.replaceAll('_', ' ')]);
const providers = [['', 'None yet'], [OTHER, 'Another server'], ...PROVIDERS];

const HELP = {
  service: 'Who sends this site’s mails to you. Until you choose one, each mail is saved as a file.',
  password:
    'Most providers have you make one in the security settings of your account. Elsewhere it’s your usual password.',
  replyHours:
    'In hours. The page promises it once you publish it under Words, and reminders and the desk go by it from then on.',
};
const smtp = { of: 'SMTP_URL' };
/** What a setting that isn't free text can be. */
const CHOICES: Partial<Record<string, string[][]>> = {
  [SETTINGS.timeZone.name]: [['', 'As this computer has it'], ...zones],
  [SETTINGS.reminders.name]: [['on'], ['off']],
};
/** Fields that aren't settings by themselves. */
const MORE: Partial<Record<DeskGroup, Field[]>> = {
  Mail: [
    { name: 'service', label: 'Provider', choices: providers, help: HELP.service, ...smtp },
    { name: 'host', label: 'Server', kind: 'server', help: 'Such as `smtp.example.com`.', ...smtp },
    { name: 'port', label: 'Port', kind: 'server', help: 'Most often `465` or `587`.', ...smtp },
    { name: 'user', label: 'Address that you log in with', kind: 'login', ...smtp },
    { name: 'password', label: 'App password', kind: 'login', help: HELP.password, ...smtp },
  ],
  Time: [{ name: 'replyHours', label: 'Reply within', kind: 'hours', help: HELP.replyHours }],
};
/** In the schema's order. */
const GROUPS = new Map<DeskGroup, Field[]>();
for (const { name, desk, meaning } of Object.values<Setting<unknown>>(SETTINGS)) {
  if (!desk) continue;
  const [group, label] = desk;
  const choices = CHOICES[name];
  const fields = GROUPS.get(group) ?? MORE[group] ?? [];
  GROUPS.set(group, [...fields, { name, label, help: meaning, ...(choices && { choices }) }]);
}
const NAMES = [...GROUPS.values()].flatMap((fields) => fields.map(({ name }) => name));
const STALE =
  'The settings have changed since you opened this page, in another window or an editor. You see both. Save once more to keep what stands in the fields.';

/** What's between backticks is typed as it is. */
const marked = (text: string) =>
  text.split('`').map((part, index) => (index % 2 ? <code key={part}>{part}</code> : part));

function Input({ field, shown }: { field: Field; shown: Shown }) {
  const { name, label, help, of = name, choices, kind = '' } = field;
  const { fields, faults, meanwhile, outside, stored } = shown;
  const value = fields[name] ?? '';
  const common = {
    id: name,
    name,
    disabled: outside.includes(of),
    'aria-describedby': `${name}-notes`,
    'aria-invalid': faults[name] ? true : undefined,
    autoFocus: name === NAMES.find((one) => faults[one]),
  };
  const type = name === 'password' ? 'password' : 'text';
  const hint = type === 'password' && stored ? 'Stored. Leave this empty to keep it.' : undefined;
  const all = choices?.some(([one]) => one === value) ? choices : [...(choices ?? []), [value]];
  return (
    <div className={`field ${kind}`}>
      <label htmlFor={name}>{label}</label>
      {choices ? (
        <select {...common} defaultValue={value}>
          {all.map(([one = '', words = one]) => (
            <option key={one} value={one}>
              {words}
            </option>
          ))}
        </select>
      ) : (
        <input {...common} defaultValue={value} type={type} autoComplete="new-password" placeholder={hint} />
      )}
      <div id={`${name}-notes`}>
        {faults[name] && <p className="fault">{faults[name]}</p>}
        {meanwhile && meanwhile[name] !== fields[name] && (
          <p className="fault">Now in .env: {meanwhile[name] || 'nothing'}</p>
        )}
        {outside.includes(of) && <p>It’s set outside of .env, by whoever starts this. Change it there.</p>}
        {help && <p className="help">{marked(help)}</p>}
      </div>
    </div>
  );
}

export function settingsPage(frame: Frame, shown: Shown): string {
  const { faults, meanwhile, fingerprint, tried } = shown;
  const isWrong = Object.keys(faults).length > 0;
  const others = Object.entries(faults).filter(([name]) => !NAMES.includes(name));
  const main = (
    <form method="post" action={`/settings?as=${fingerprint}`} className="settings" noValidate>
      <h1>{isWrong || meanwhile ? 'Nothing is saved yet.' : 'Settings'}</h1>
      {meanwhile && <p className="lead">{STALE}</p>}
      {others.map(([name, words]) => (
        <p key={name} className="fault">
          {words}
        </p>
      ))}
      {tried.map(({ what, verdict, found, todo }) => (
        <div key={found} className={`finding is-${verdict}`}>
          <span className="verdict">{verdict}</span>
          <b>{what}</b>
          <p>{found}</p>
          {todo && <p>→ {todo}</p>}
        </div>
      ))}
      {[...GROUPS].map(([title, group]) => (
        <section key={title} className={title.toLowerCase().replace(' ', '-')}>
          <h2>{title}</h2>
          {group.map((field) => (
            <Input key={field.name} field={field} shown={shown} />
          ))}
        </section>
      ))}
      <div className="row">
        <button className="button button-main" type="submit">
          Save
        </button>
        <button className="button" type="submit" name="then" value="test">
          Save and send me a test mail
        </button>
        <p>The test takes a few seconds, and half a minute when somebody doesn’t answer.</p>
      </div>
    </form>
  );
  return page('Settings', frame, main);
}
