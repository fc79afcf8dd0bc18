import { localAddress } from '../../server/http/listen.ts';
import { inspectDatabase } from '../../server/messages/open.ts';
import { codeOf } from '../../server/messages/store-error.ts';
import { readSettings, type Settings, SettingsError, unknownSettings } from '../../settings/settings.ts';
import { DESK_CONNECTION, EXIT, note, printable, readArgs, write } from '../command/command.ts';
import { database, messages } from './database.ts';
import { disk } from './disk.ts';
import { domain } from './domain.ts';
import { about, type Check, type Context, counts, type Finding, fieldOf, headline } from './finding.ts';
import { mailOut } from './mail-out.ts';
import { address, server } from './server.ts';
import { testMail } from './test-mail.ts';

const subject = about('settings', 'Settings');

const settings: Check = async () => {
  const unknown = unknownSettings();
  if (unknown.length === 0) return [subject.ok('All of them can be read.')];
  return unknown.map((problem) => subject.look(problem, 'Change that in .env.'));
};

/** In the order of the report. */
export const CHECKS: Record<string, Check> = {
  settings,
  disk,
  database,
  messages,
  server,
  'mail-out': mailOut,
  'test-mail': testMail,
  domain,
  address,
};

type Checked = Finding & { check: string };

export async function doctor(args: string[]): Promise<void> {
  const { given } = readArgs(args, ['send-test', 'json']);
  // It may take minutes. Only a terminal is told, so that no script's mail is.
  if (process.stderr.isTTY) note('Checking …\n');
  const findings = await check(given.has('send-test'));
  const counted = counts(findings);
  if (counted.wrong > 0) process.exitCode = EXIT.failed;
  if (!given.has('json')) return write(report(findings));
  const verdict = counted.wrong > 0 ? 'wrong' : counted.look > 0 ? 'look' : 'ok';
  const all = findings.map(({ todo = null, link = null, ...finding }) => ({ ...finding, todo, link }));
  const at = new Date().toISOString();
  write(`${JSON.stringify({ at, verdict, counts: counted, findings: all }, null, 2)}\n`);
}

export function report(findings: readonly Finding[]): string {
  const lines = findings.map(
    ({ verdict, what, found, todo }) =>
      `${verdict.padEnd(5)}  ${what}: ${printable(found)}\n${todo ? `       → ${printable(todo)}\n` : ''}`,
  );
  return `${lines.join('')}\n${headline(findings)}\n`;
}

/** Takes a few seconds, or minutes if a server doesn't answer. Changes nothing, unless a test is sent. */
async function check(sendTest: boolean): Promise<Checked[]> {
  let read: Settings;
  try {
    read = readSettings();
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    return faultsOf(error).map((finding) => ({ check: 'settings', ...finding }));
  }
  const now = Date.now();
  const report = inspectDatabase(read, { ...DESK_CONNECTION, now });
  // A test opens the database, which migrates it and would hide a finding.
  if (sendTest) await Promise.allSettled([report]);
  const ownUrl = localAddress(read.host, read.port);
  const context = { settings: read, now, sendTest, ownUrl, database: () => report };
  const found = Object.entries(CHECKS).map(([name, run]) => runCheck(name, run, context));
  return (await Promise.all(found)).flat();
}

/** Until they're corrected, nothing else can be checked. */
function faultsOf({ faults, message }: SettingsError): Finding[] {
  if (faults.length === 0) return [subject.wrong(message, 'Until then, the server doesn’t start.')];
  return faults.map(({ setting, problem, meaning = '' }) => {
    const found = `${setting} ${problem}. The server won’t start with it.`;
    return subject.wrong(found, `Correct it. ${meaning}`.trim(), fieldOf(setting));
  });
}

export async function runCheck(name: string, run: Check, context: Context): Promise<Checked[]> {
  const findings = await Promise.try(run, context).catch((error) => {
    // Not the message, which may contain a password or what a visitor typed.
    const found = `This couldn’t be checked: ${codeOf(error) || error.name}.`;
    return [about(name, name).wrong(found, 'Report this line as it is.')];
  });
  return findings.map((finding) => ({ check: name, ...finding }));
}
