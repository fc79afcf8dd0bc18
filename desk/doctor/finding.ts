/**
 * - `ok`: well.
 * - `look`: works, or could not be asked; a person should look at it.
 * - `wrong`: messages or the site suffer from it now.
 */
export type Verdict = 'ok' | 'look' | 'wrong';

export const QUESTIONS = ['messages', 'safe', 'mine'] as const;

/** Which of the owner's three questions it answers. */
export type Question = (typeof QUESTIONS)[number];

export type Finding = {
  /** For scripts; never changes, unlike the words. */
  id: string;
  question: Question;
  /** The thing that was looked at, in a word or two. */
  what: string;
  verdict: Verdict;
  /** One or two plain sentences. Never a password, nor anything that a visitor typed. */
  found: string;
  /** What the owner can do about it. */
  todo?: string;
};

/** The findings about one thing differ in their verdict alone. */
export function about(question: Question, id: string, what: string) {
  const subject = { id, question, what };
  return {
    ok: (found: string): Finding => ({ ...subject, verdict: 'ok', found }),
    look: (found: string, todo: string): Finding => ({ ...subject, verdict: 'look', found, todo }),
    wrong: (found: string, todo: string): Finding => ({ ...subject, verdict: 'wrong', found, todo }),
  };
}

export type Check = {
  about: ReturnType<typeof about>;
  /** Settings without which it cannot be made. */
  needs?: readonly string[];
  run: (signal: AbortSignal) => Promise<readonly Finding[]>;
  /** The most that it may take, in milliseconds. */
  limitMs: number;
  /** What it means when it takes longer. */
  late?: Finding;
};

/**
 * Makes all checks at the same time. One that throws or takes too long becomes a finding of its own and
 * hides no other.
 *
 * @param faulty names of settings that cannot be read
 * @returns the findings in the order of their checks
 */
export async function runChecks(
  checks: readonly Check[],
  faulty: readonly string[] = [],
): Promise<Finding[]> {
  const results = checks.map((check) => {
    const missing = check.needs?.filter((setting) => faulty.includes(setting)) ?? [];
    if (missing.length > 0) {
      const names = missing.join(' and ');
      const are = missing.length > 1 ? 'are' : 'is';
      return [check.about.look(`Not looked at, because ${names} ${are} wrong.`, `Correct ${names} first.`)];
    }
    return limited(check);
  });
  return (await Promise.all(results)).flat();
}

async function limited({ about: subject, run, limitMs, late }: Check): Promise<readonly Finding[]> {
  const stop = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const tooLong = new Promise<readonly Finding[]>((resolve) => {
    timer = setTimeout(() => {
      stop.abort();
      const found = `No answer within ${limitMs / 1000} seconds.`;
      resolve([late ?? subject.wrong(found, 'Try again; if it stays so, look at what this line is about.')]);
    }, limitMs);
  });
  try {
    return await Promise.race([run(stop.signal), tooLong]);
  } catch (error) {
    // Not its words, which may repeat a password or what a visitor typed.
    const reason = error instanceof Error ? ('code' in error ? String(error.code) : error.name) : 'unknown';
    return [
      subject.wrong(`This could not be looked at: ${reason}.`, 'Report this with the line as it stands.'),
    ];
  } finally {
    clearTimeout(timer);
    stop.abort();
  }
}
