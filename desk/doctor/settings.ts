import { readSettings, type Settings, SettingsError } from '../../settings/settings.ts';
import { unknownSettings } from '../../settings/unknown.ts';
import { codeOf } from '../failures.ts';
import { about, type Check, type Finding } from './check.ts';

type Env = Record<string, string | undefined>;

const subject = about('messages', 'settings', 'Settings');

/** Every fault in the settings, and names in `.env` that are no setting. They're read before any check. */
export const settings: Check = {
  name: 'settings',
  about: subject,
  run: async ({ settingsFindings }) => settingsFindings,
};

/** The environment and `.env`; where that cannot be read, the environment alone and a finding. */
export function readEnv(load: () => Env): { env: Env; findings: Finding[] } {
  try {
    return { env: load(), findings: [] };
  } catch (error) {
    const code = codeOf(error) || 'unknown';
    const todo = 'Run this as the user whose file it is, and who runs the server.';
    return {
      env: { ...process.env },
      findings: [subject.wrong(`The file .env cannot be read (${code}), so its settings are missing.`, todo)],
    };
  }
}

/**
 * The settings with defaults in the place of faulty ones, so that everything else can be looked at.
 *
 * @param root the project's folder
 * @returns also the names of the faulty ones, and a finding for each fault
 */
export function readWhatCan(
  env: Env,
  root: string,
): { settings: Settings; faulty: string[]; findings: Finding[] } {
  const unknown = unknownIn(root).map((problem) =>
    subject.look(problem, 'Correct it in .env, or in the environment; .env.example lists every setting.'),
  );
  try {
    const findings = unknown.length > 0 ? unknown : [subject.ok('All of them can be read.')];
    return { settings: readSettings(env, root), faulty: [], findings };
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    const faulty = [...new Set(error.faults.map(({ setting }) => setting))];
    const cleared = Object.fromEntries(faulty.map((setting) => [setting, undefined]));
    const findings = error.faults.map(({ setting, problem, example }) =>
      subject.wrong(
        `${setting} ${problem}. The server does not start with it.`,
        `Correct it in .env, for example: ${setting}=${example}`,
      ),
    );
    return {
      settings: readSettings({ ...env, ...cleared }, root),
      faulty,
      findings: [...findings, ...unknown],
    };
  }
}

/** That `.env` can't be read is told above. */
function unknownIn(root: string): string[] {
  try {
    return unknownSettings(root);
  } catch {
    return [];
  }
}
