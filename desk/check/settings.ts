import type { SettingsError } from '../../settings/settings.ts';
import { unknownSettings } from '../../settings/unknown.ts';
import { about, type Check, type Finding, fieldOf } from './finding.ts';

const subject = about('settings', 'settings', 'Settings');
const alarm = about('settings', 'alarm', 'Alarm');

/** Unknown names in `.env`, and whether the owner would hear of trouble. */
export const settings: Check = async ({ settings: { alertWebhookUrl, supabaseUrl } }) => {
  const unknown = unknownSettings().map((problem) =>
    subject.look(problem, 'Correct its name, or take it out.'),
  );
  const read = unknown.length > 0 ? unknown : [subject.ok('All of them can be read.')];
  // A Supabase function has its own settings, which we can't see from here.
  if (supabaseUrl) return read;
  const heard = alertWebhookUrl
    ? alarm.ok('If mails fail, ALERT_WEBHOOK_URL gets an alert.')
    : alarm.look(
        'If mails fail, only the server’s log says so.',
        'Set ALERT_WEBHOOK_URL in .env to an address that alerts you, such as a topic of ntfy.',
      );
  return [...read, heard];
};

/** Until they're corrected, nothing else can be checked. */
export function faultsOf({ faults, message }: SettingsError): Finding[] {
  if (faults.length === 0) return [subject.wrong(message, 'Until then, the server doesn’t start.')];
  return faults.map(({ setting, problem, example }) =>
    subject.wrong(
      `${setting} ${problem}. The server doesn’t start with it.`,
      `Correct it in .env, for example: ${setting}=${example}`,
      fieldOf(setting),
    ),
  );
}
