import { parseArgs } from 'node:util';
import type { Desk } from '../command/desk.ts';
import { EXIT } from '../command/failures.ts';
import { json, printable, saying, write } from '../command/terminal.ts';
import { counts, type Finding, headline } from './finding.ts';

export async function doctor(_: Desk, args: string[]): Promise<void> {
  const flag = { type: 'boolean' } as const;
  const { values } = parseArgs({ args, options: { 'send-test': flag, json: flag } });
  const { 'send-test': sendTest = false } = values;
  // Loaded only here, since it's most of the desk's code.
  const { check } = await import('./check.ts');
  const findings = await saying('Looking', () => check(sendTest));
  const counted = counts(findings);
  if (counted.wrong > 0) process.exitCode = EXIT.failed;
  if (values.json) {
    const verdict = counted.wrong > 0 ? 'wrong' : counted.look > 0 ? 'look' : 'ok';
    const all = findings.map(({ todo = null, link = null, ...finding }) => ({ ...finding, todo, link }));
    return write(json({ at: new Date().toISOString(), verdict, counts: counted, findings: all }));
  }
  write(report(findings));
}

export function report(findings: readonly Finding[]): string {
  const lines = findings.map(
    ({ verdict, what, found, todo }) =>
      `${verdict.padEnd(5)}  ${what}: ${printable(found)}\n${todo ? `       → ${printable(todo)}\n` : ''}`,
  );
  return `${lines.join('')}\n${headline(findings)}\n`;
}
