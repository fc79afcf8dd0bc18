import { readSettings, type Settings, SettingsError } from '../../settings/settings.ts';
import { unknownSettings } from '../../settings/unknown.ts';
import { about, type Finding } from './finding.ts';

type Env = Record<string, string | undefined>;

const settingsLine = about('messages', 'settings', 'Settings');

/** The environment and `.env`; where that cannot be read, the environment alone and a finding. */
export function readEnv(load: () => Env): { env: Env; findings: Finding[] } {
  try {
    return { env: load(), findings: [] };
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
    const todo = 'Run this as the user whose file it is, and who runs the server.';
    return {
      env: { ...process.env },
      findings: [
        settingsLine.wrong(`The file .env cannot be read (${code}), so its settings are missing.`, todo),
      ],
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
    settingsLine.look(
      problem,
      'Correct it in .env, or in the environment; .env.example lists every setting.',
    ),
  );
  try {
    const settings = readSettings(env, root);
    const findings = unknown.length > 0 ? unknown : [settingsLine.ok('All of them can be read.')];
    return { settings, faulty: [], findings };
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    const faulty = [...new Set(error.faults.map(({ setting }) => setting))];
    const cleared = Object.fromEntries(faulty.map((setting) => [setting, undefined]));
    const findings = error.faults.map(({ setting, problem, example }) =>
      settingsLine.wrong(
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
