import type { SettingsError } from '../../settings/settings.ts';
import { unknownSettings } from '../../settings/unknown.ts';
import { about, type Check, type Finding, fieldOf } from './finding.ts';

const subject = about('settings', 'Settings');

/** What `.env` says in vain, or leaves out. */
export const settings: Check = async () => {
  const unknown = unknownSettings();
  if (unknown.length === 0) return [subject.ok('All of them can be read.')];
  return unknown.map((problem) => subject.look(problem, 'Change that in .env.'));
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
