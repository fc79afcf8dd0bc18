import type { DatabaseReport } from '../../server/messages/open.ts';
import type { Settings } from '../../settings/settings.ts';
import { count } from '../command/command.ts';

/** Fine; works or couldn't be checked, so someone should take a look; hurts messages or the site right now. */
export type Verdict = 'ok' | 'look' | 'wrong';

export type Finding = {
  /** For scripts; never changes, unlike the wording. */
  id: string;
  what: string;
  verdict: Verdict;
  /** Never a password or anything a visitor typed. */
  found: string;
  todo?: string;
  /** Where on the desk: a path, for a setting with its name as the fragment. */
  link?: string | undefined;
};

export type Subject = ReturnType<typeof about>;

export function about(id: string, what: string) {
  const bad = (verdict: Verdict) => (found: string, todo: string, link?: string) =>
    ({ id, what, verdict, found, todo, link }) satisfies Finding;
  return {
    ok: (found: string): Finding => ({ id, what, verdict: 'ok', found }),
    look: bad('look'),
    wrong: bad('wrong'),
  };
}

export const fieldOf = (setting: string) => `/desk/settings#${setting}`;

export type Context = {
  settings: Settings;
  /** Milliseconds since 1970. */
  now: number;
  ownUrl: string;
  sendTest: boolean;
  database: () => Promise<DatabaseReport>;
};

/** Without a finding, there's nothing to check with these settings. */
export type Check = (context: Context) => Promise<readonly Finding[]>;

export function counts(findings: readonly Finding[]): Record<Verdict, number> {
  const counted = { ok: 0, look: 0, wrong: 0 };
  for (const { verdict } of findings) counted[verdict] += 1;
  return counted;
}

/** The whole report in a sentence. */
export function headline(findings: readonly Finding[]): string {
  const { look, wrong } = counts(findings);
  if (wrong > 0) return `${count(wrong, 'thing')} ${wrong === 1 ? 'is' : 'are'} wrong.`;
  return look > 0 ? `${count(look, 'thing')} to look at.` : 'All is well.';
}
