import { setTimeout as wait } from 'node:timers/promises';
import type { DatabaseReport } from '../../server/messages/inspect.ts';
import { codeOf } from '../../server/messages/store-error.ts';
import type { Settings } from '../../settings/settings.ts';

/**
 * - `ok`: fine.
 * - `look`: works, or couldn't be checked; someone should take a look.
 * - `wrong`: it's hurting messages or the site right now.
 */
export type Verdict = 'ok' | 'look' | 'wrong';

/** The owner's three questions, in the order of the report. */
export type Question = 'messages' | 'safe' | 'mine';

export type Finding = {
  /** For scripts; never changes, unlike the wording. */
  id: string;
  question: Question;
  /** What was checked, in a word or two. */
  what: string;
  verdict: Verdict;
  /** One or two plain sentences. Never a password or anything a visitor typed. */
  found: string;
  /** What the owner can do about it. */
  todo?: string;
};

export type Subject = ReturnType<typeof about>;

export function about(question: Question, id: string, what: string) {
  const subject = { id, question, what };
  return {
    ok: (found: string): Finding => ({ ...subject, verdict: 'ok', found }),
    look: (found: string, todo: string): Finding => ({ ...subject, verdict: 'look', found, todo }),
    wrong: (found: string, todo: string): Finding => ({ ...subject, verdict: 'wrong', found, todo }),
  };
}

export type CheckContext = {
  /** With defaults for those that can't be read. */
  settings: Settings;
  settingsFindings: readonly Finding[];
  /** Milliseconds since 1970. */
  now: number;
  /** The address of the server on this machine. */
  ownUrl: string;
  /** Overrides the machine's own. */
  dnsServer: string | undefined;
  /** Looks only once, however many checks ask. */
  database: () => Promise<DatabaseReport>;
};

export type Check = {
  /** For findings that the runner makes itself, such as a timeout. */
  about: Subject;
  /** Skipped when false. */
  when?: (settings: Settings) => boolean;
  /** Settings that the check can't run without. */
  needs?: readonly string[];
  /** In milliseconds; `LIMIT_MS` by default. */
  limitMs?: number;
  run: (context: CheckContext, signal: AbortSignal) => Promise<readonly Finding[]>;
};

/** Longer than any check's own timeouts, so that the check can say what timed out. */
const LIMIT_MS = 30_000;

/**
 * Runs all checks at once. One that throws or takes too long becomes a finding.
 *
 * @param faulty names of settings that can't be read
 * @returns the findings in the order of their checks
 */
export async function runChecks(
  checks: readonly Check[],
  context: CheckContext,
  faulty: readonly string[] = [],
): Promise<Finding[]> {
  const results = checks
    .filter(({ when }) => !when || when(context.settings))
    .map((check) => {
      const missing = check.needs?.filter((setting) => faulty.includes(setting)) ?? [];
      if (missing.length === 0) return runWithin(check, context);
      const names = missing.join(' and ');
      const are = missing.length > 1 ? 'are' : 'is';
      return [check.about.look(`Not checked, because ${names} ${are} wrong.`, `Correct ${names} first.`)];
    });
  return (await Promise.all(results)).flat();
}

async function runWithin(
  { about: subject, run, limitMs = LIMIT_MS }: Check,
  context: CheckContext,
): Promise<readonly Finding[]> {
  const stop = new AbortController();
  const { signal } = stop;
  const late = subject.wrong(`No answer within ${limitMs / 1000} seconds.`, 'Try again in a few minutes.');
  try {
    return await Promise.race([run(context, signal), wait(limitMs, [late], { signal })]);
  } catch (error) {
    // Not the message, which may contain a password or what a visitor typed.
    const reason = codeOf(error) || (error instanceof Error ? error.name : 'unknown');
    return [subject.wrong(`This couldn’t be checked: ${reason}.`, 'Report this line as it is.')];
  } finally {
    stop.abort();
  }
}
