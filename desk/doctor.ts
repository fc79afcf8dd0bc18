import { Resolver } from 'node:dns';
import type { Command } from 'commander';
import { withProgress } from '../build/progress.mjs';
import { isOnServer } from './desk.ts';
import { EXIT, WrongUsage } from './failures.ts';
import { dim, json, write } from './terminal.ts';

type Options = { sendTest?: true; dnsServer?: string; strict?: true; json?: true };

export function addDoctor(program: Command): void {
  program
    .command('doctor [check...]')
    .description('check whether messages reach you, and what isn’t yours yet')
    .option('--send-test', 'also send one test message the whole way, from the form to your inbox')
    .option('--dns-server <address>', 'ask this DNS server, such as 1.1.1.1 or 127.0.0.1:5353', dnsServer)
    .option('--strict', 'exit with 1 also if something is only worth a look')
    .addHelpText(
      'after',
      `
It checks everything, or what you name: npm run desk doctor dns. docs/desk.md lists the names.
Each line says ok, look (it works, or could not be asked: have a look) or wrong.
For monitoring: it ends with ${EXIT.done} when nothing is wrong and ${EXIT.failed} when something
is; with --strict also when there is something to look at.`,
    )
    .action(async (only: string[], options: Options) => {
      // Loaded only here, since it's most of the desk's code.
      const { examine } = await import('./doctor/examine.ts');
      const { counts, ON_SERVER, report, worst } = await import('./doctor/report.ts');
      const findings = await withProgress('Looking', '', () => examine(only, options));
      const verdict = worst(findings);
      if (verdict === 'wrong' || (verdict === 'look' && options.strict)) process.exitCode = EXIT.failed;
      if (options.json) {
        const all = findings.map((finding) => ({ ...finding, todo: finding.todo ?? null }));
        return write(
          json({ at: new Date().toISOString(), verdict, counts: counts(findings), findings: all }),
        );
      }
      write(report(findings));
      if (isOnServer()) write(dim(`\n${ON_SERVER}\n`));
      if (!options.sendTest && only.length === 0)
        write(dim('\nTo send a test all the way to your inbox: npm run desk -- doctor --send-test\n'));
    });
}

function dnsServer(text: string): string {
  try {
    new Resolver().setServers([text]);
    return text;
  } catch {
    throw new WrongUsage('An IP address is needed, with :port behind it if that is not 53.');
  }
}
