import { loadEnv, PROJECT_ROOT, readSettings, SettingsError } from '../../settings/settings.ts';
import { unknownSettings } from '../../settings/unknown.ts';
import { about, type Check, type Finding, fieldOf } from './finding.ts';

const subject = about('settings', 'settings', 'Settings');
const alarm = about('settings', 'alarm', 'Alarm');

/** Every fault in the settings, unknown names in `.env`, and whether the owner would hear of trouble. */
export const settings: Check = {
  run: async ({ settingsFindings, settings: { alertWebhookUrl, supabaseUrl } }) => [
    ...settingsFindings,
    // A Supabase function has its own settings, which we can't see from here.
    ...(supabaseUrl
      ? []
      : [
          alertWebhookUrl
            ? alarm.ok('If mails fail, ALERT_WEBHOOK_URL gets an alert.')
            : alarm.look(
                'If mails fail, only the server’s log says so: ALERT_WEBHOOK_URL is not set.',
                'Set ALERT_WEBHOOK_URL in .env to an address that alerts you, such as a topic of ntfy.',
              ),
        ]),
  ],
};

/**
 * The settings, with defaults for faulty ones so that everything else can still be checked.
 *
 * @returns also the names of the faulty settings
 */
export function readWhatCan(root = PROJECT_ROOT) {
  const findings: Finding[] = [];
  let env: NodeJS.ProcessEnv = process.env;
  try {
    const todo = 'Correct it in .env, or in the environment; .env.example lists every setting.';
    env = loadEnv(root);
    findings.push(...unknownSettings(root).map((problem) => subject.look(problem, todo)));
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    findings.push(subject.wrong(error.message, 'Until then, the server doesn’t start as this user.'));
  }
  const { read, faults } = readWithout(env, root);
  findings.unshift(
    ...faults.map(({ setting, problem, example }) =>
      subject.wrong(
        `${setting} ${problem}. The server does not start with it.`,
        `Correct it in .env, for example: ${setting}=${example}`,
        fieldOf(setting),
      ),
    ),
  );
  return {
    settings: read,
    faulty: faults.map(({ setting }) => setting),
    findings: findings.length > 0 ? findings : [subject.ok('All of them can be read.')],
  };
}

function readWithout(
  env: NodeJS.ProcessEnv,
  root: string,
  faults: SettingsError['faults'] = [],
): { read: ReturnType<typeof readSettings>; faults: SettingsError['faults'] } {
  try {
    return { read: readSettings(env, root), faults };
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    const cleared = Object.fromEntries(error.faults.map(({ setting }) => [setting, undefined]));
    // Again, since one setting may need another that's now missing.
    return readWithout({ ...env, ...cleared }, root, [...faults, ...error.faults]);
  }
}
