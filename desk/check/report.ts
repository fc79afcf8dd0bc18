import { printable } from '../terminal.ts';
import type { Finding, Question, Verdict } from './check.ts';

export const QUESTIONS: Record<Question, string> = {
  messages: 'Will I get my messages?',
  safe: 'Are they safe?',
  mine: 'Is this site mine yet?',
};
const LOOK = 'Have a look at what’s marked.';
export const ANSWERS: Record<Question, Record<Verdict, string>> = {
  messages: { ok: 'Yes.', look: LOOK, wrong: 'Not at the moment.' },
  safe: { ok: 'Yes.', look: LOOK, wrong: 'No.' },
  mine: { ok: 'Yes.', look: 'Not quite.', wrong: 'No.' },
};

export function counts(findings: readonly Finding[]): Record<Verdict, number> {
  const counted = { ok: 0, look: 0, wrong: 0 };
  for (const { verdict } of findings) counted[verdict] += 1;
  return counted;
}

export function worst(findings: readonly Finding[]): Verdict {
  const { look, wrong } = counts(findings);
  return wrong > 0 ? 'wrong' : look > 0 ? 'look' : 'ok';
}

/** Plain lines. */
export function report(findings: readonly Finding[]): string {
  if (findings.length === 0) return 'Nothing to check: your settings don’t use this.\n';
  const sections = (Object.keys(QUESTIONS) as Question[]).map((question) => {
    const answered = findings.filter((finding) => finding.question === question);
    if (answered.length === 0) return '';
    const lines = answered.map(
      ({ verdict, what, found, todo }) =>
        `  ${verdict.padEnd(5)}  ${what}: ${printable(found)}\n${todo ? `         → ${printable(todo)}\n` : ''}`,
    );
    return `${QUESTIONS[question]} ${ANSWERS[question][worst(answered)]}\n${lines.join('')}\n`;
  });
  const { ok, look, wrong } = counts(findings);
  return `${sections.join('')}${wrong} wrong, ${look} to look at, ${ok} well.\n`;
}
