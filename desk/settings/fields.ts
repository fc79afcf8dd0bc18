import { type DeskGroup, SETTINGS, type Setting } from '../../settings/schema.ts';
import { OTHER, PROVIDERS } from './mail-account.ts';

/** What stands in the fields of the form, by their names. Passwords never do. */
export type Fields = Record<string, string>;

export type Field = {
  name: string;
  label: string;
  help?: string;
  /** The setting that it's a part of, if it isn't one by itself. */
  of?: string;
  /** Values and what's read; a value alone is both. */
  choices?: readonly (readonly string[])[];
  /** When it's asked for: with another server, or with any. */
  kind?: 'server' | 'login';
};

/** The one field here that's one of her words. */
export const REPLY_HOURS = 'replyHours';

/** Settings with a field of their own. */
export const PLAIN = Object.values<Setting<unknown>>(SETTINGS).filter(({ desk }) => desk);

const SMTP_URL = SETTINGS.smtpUrl.name;
const zones = Intl.supportedValuesOf('timeZone').map((zone) => [zone, zone.replaceAll('_', ' ')]);

/** What a setting that isn't free text can be. */
const CHOICES: Partial<Record<string, Field['choices']>> = {
  [SETTINGS.timeZone.name]: [['', 'That of the computer it runs on'], ...zones],
  [SETTINGS.reminders.name]: [['on'], ['off']],
};

/** Fields that aren't settings by themselves. */
const MORE: Partial<Record<DeskGroup, Field[]>> = {
  Mail: [
    {
      of: SMTP_URL,
      name: 'service',
      label: 'Provider',
      choices: [['', 'None yet'], ...PROVIDERS, [OTHER, 'Another server']],
      help: 'Who sends this site’s mails to you. Until you choose one, each mail is saved as a file.',
    },
    { of: SMTP_URL, name: 'host', label: 'Server', kind: 'server', help: 'Such as `smtp.example.com`.' },
    { of: SMTP_URL, name: 'port', label: 'Port', kind: 'server', help: 'Most often `465` or `587`.' },
    { of: SMTP_URL, name: 'user', label: 'Address that you log in with', kind: 'login' },
    {
      of: SMTP_URL,
      name: 'password',
      label: 'App password',
      kind: 'login',
      help: 'Most providers have you make one in the security settings of your account. Elsewhere it’s your usual password.',
    },
  ],
  Time: [
    {
      name: REPLY_HOURS,
      label: 'Reply within',
      help: 'In hours. Your page promises it, and reminders and the desk go by it.',
    },
  ],
};

/** In the schema's order. */
export const GROUPS = new Map<DeskGroup, Field[]>();
for (const { name, desk, meaning } of PLAIN) {
  if (!desk) continue;
  const [group, label] = desk;
  const choices = CHOICES[name];
  const fields = GROUPS.get(group) ?? MORE[group] ?? [];
  GROUPS.set(group, [...fields, { name, label, help: meaning, ...(choices && { choices }) }]);
}
