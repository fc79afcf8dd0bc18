import { count, printable } from '../command/terminal.ts';
import { type CheckName, type Finding, TITLES, type Verdict } from './finding.ts';

export function counts(findings: readonly Finding[]): Record<Verdict, number> {
  const counted = { ok: 0, look: 0, wrong: 0 };
  for (const { verdict } of findings) counted[verdict] += 1;
  return counted;
}

export function worst(findings: readonly Finding[]): Verdict {
  const { look, wrong } = counts(findings);
  return wrong > 0 ? 'wrong' : look > 0 ? 'look' : 'ok';
}

/** The whole in a sentence. A mail server that took no mail with these settings is something to look at. */
export function headline(findings: readonly Finding[]): string {
  const { look, wrong } = counts(findings);
  if (wrong > 0) return `${count(wrong, 'thing')} ${wrong === 1 ? 'is' : 'are'} wrong.`;
  return look > 0 ? `${count(look, 'thing')} to look at.` : 'Nothing is wrong.';
}

/** By check, in order. Without those that found nothing to say. */
export function byCheck(findings: readonly Finding[]): [title: string, findings: Finding[]][] {
  return (Object.keys(TITLES) as CheckName[])
    .map((name): [string, Finding[]] => [TITLES[name], findings.filter(({ check }) => check === name)])
    .filter(([, found]) => found.length > 0);
}

/** Plain lines. */
export function report(findings: readonly Finding[]): string {
  if (findings.length === 0) return 'Nothing to check: your settings don’t use this.\n';
  const sections = byCheck(findings).map(([title, found]) => {
    const lines = found.map(
      ({ verdict, what, found, todo }) =>
        `  ${verdict.padEnd(5)}  ${what}: ${printable(found)}\n${todo ? `         → ${printable(todo)}\n` : ''}`,
    );
    return `${title}\n${lines.join('')}\n`;
  });
  const { ok, look, wrong } = counts(findings);
  return `${sections.join('')}${wrong} wrong, ${look} to look at, ${ok} well.\n`;
}
