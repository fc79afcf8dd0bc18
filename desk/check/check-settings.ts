import {
  loadEnv,
  PROJECT_ROOT,
  readSettings,
  type Settings,
  SettingsError,
} from '../../settings/settings.ts';
import { unknownSettings } from '../../settings/unknown.ts';
import { about, type Check, type Finding } from './check.ts';

const subject = about('messages', 'settings', 'Settings');

/** Every fault in the settings, and unknown names in `.env`. Settings are read before any check runs. */
export const settings: Check = {
  about: subject,
  run: async ({ settingsFindings }) => settingsFindings,
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
  const { settings, faults } = readWithout(env, root);
  findings.unshift(
    ...faults.map(({ setting, problem, example }) =>
      subject.wrong(
        `${setting} ${problem}. The server does not start with it.`,
        `Correct it in .env, for example: ${setting}=${example}`,
      ),
    ),
  );
  return {
    settings,
    faulty: faults.map(({ setting }) => setting),
    findings: findings.length > 0 ? findings : [subject.ok('All of them can be read.')],
  };
}

function readWithout(
  env: NodeJS.ProcessEnv,
  root: string,
): { settings: Settings; faults: SettingsError['faults'] } {
  try {
    return { settings: readSettings(env, root), faults: [] };
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    const { faults } = error;
    const cleared = Object.fromEntries(faults.map(({ setting }) => [setting, undefined]));
    // Again, since one setting may need another that's now missing.
    return { ...readWithout({ ...env, ...cleared }, root), faults };
  }
}
