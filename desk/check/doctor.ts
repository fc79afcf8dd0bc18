import { Resolver } from 'node:dns';
import { parseArgs } from 'node:util';
import { withProgress } from '../../publish/progress.mjs';
import type { Desk } from '../command/desk.ts';
import { EXIT, WrongUsage } from '../command/failures.ts';
import { json, write } from '../command/terminal.ts';

export async function doctor(_: Desk, args: string[]): Promise<void> {
  const flag = { type: 'boolean' } as const;
  const { values, positionals: only } = parseArgs({
    args,
    allowPositionals: true,
    options: { 'send-test': flag, 'dns-server': { type: 'string' }, strict: flag, json: flag },
  });
  const { 'send-test': sendTest = false, 'dns-server': dnsServer } = values;
  if (dnsServer) checkAddress(dnsServer);
  // Loaded only here, since it's most of the desk's code.
  const { check } = await import('./check.ts');
  const { counts, report, worst } = await import('./report.ts');
  const findings = await withProgress('Looking', '', () => check({ only, sendTest, dnsServer }));
  const verdict = worst(findings);
  if (verdict === 'wrong' || (verdict === 'look' && values.strict)) process.exitCode = EXIT.failed;
  if (values.json) {
    const all = findings.map(({ todo = null, link = null, ...finding }) => ({ ...finding, todo, link }));
    return write(json({ at: new Date().toISOString(), verdict, counts: counts(findings), findings: all }));
  }
  write(report(findings));
  if (!sendTest && only.length === 0)
    write('\nTo send a test all the way to your inbox: npm run desk -- doctor --send-test\n');
}

function checkAddress(text: string): void {
  try {
    new Resolver().setServers([text]);
  } catch {
    throw new WrongUsage('--dns-server is an IP address, with :port behind it if that is not 53.');
  }
}
