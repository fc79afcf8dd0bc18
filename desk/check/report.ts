import { count, printable } from '../command/terminal.ts';
import type { Finding, Verdict } from './finding.ts';

export function counts(findings: readonly Finding[]): Record<Verdict, number> {
  const counted = { ok: 0, look: 0, wrong: 0 };
  for (const { verdict } of findings) counted[verdict] += 1;
  return counted;
}

/** The whole in a sentence. A mail server that took no mail with these settings is something to look at. */
export function headline(findings: readonly Finding[]): string {
  const { look, wrong } = counts(findings);
  if (wrong > 0) return `${count(wrong, 'thing')} ${wrong === 1 ? 'is' : 'are'} wrong.`;
  return look > 0 ? `${count(look, 'thing')} to look at.` : 'All is well.';
}

/** Plain lines. */
export function report(findings: readonly Finding[]): string {
  const lines = findings.map(
    ({ verdict, what, found, todo }) =>
      `${verdict.padEnd(5)}  ${what}: ${printable(found)}\n${todo ? `       → ${printable(todo)}\n` : ''}`,
  );
  return `${lines.join('')}\n${headline(findings)}\n`;
}
