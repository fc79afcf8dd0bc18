import { localAddress } from '../../server/http/listen.ts';
import { inspectDatabase } from '../../server/messages/inspect.ts';
import { codeOf } from '../../server/messages/store-error.ts';
import { loadEnv, readSettings, type Settings, SettingsError } from '../../settings/settings.ts';
import { DESK_CONNECTION, replyHours } from '../command/desk.ts';
import { address } from './address.ts';
import { database } from './database.ts';
import { disk } from './disk.ts';
import { domain } from './domain.ts';
import { about, type Check, type Context, type Finding } from './finding.ts';
import { mailOut } from './mail-out.ts';
import { messages } from './messages.ts';
import { server } from './server.ts';
import { faultsOf, settings } from './settings.ts';
import { testMail } from './test-mail.ts';

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

/** With the name of the check that found it. */
type Checked = Finding & { check: string };

/**
 * What's well, to look at and wrong. Takes some seconds, and minutes while a server doesn't answer.
 *
 * @param sendTest whether to send a message through the form to the owner; otherwise nothing is changed
 */
export async function check(sendTest: boolean): Promise<Checked[]> {
  let read: Settings;
  try {
    read = readSettings(loadEnv());
  } catch (error) {
    if (error instanceof SettingsError) return named('settings', faultsOf(error));
    throw error;
  }
  const now = Date.now();
  const report = inspectDatabase(read.database, { ...DESK_CONNECTION, now, replyHours });
  // A test opens the database, which migrates it and would hide a finding.
  await (sendTest && report);
  const ownUrl = localAddress(read.host, read.port);
  const context = { settings: read, now, sendTest, ownUrl, database: () => report };
  const found = Object.entries(CHECKS).map(([name, run]) => runCheck(name, run, context));
  return (await Promise.all(found)).flat();
}

const named = (check: string, findings: readonly Finding[]): Checked[] =>
  findings.map((finding) => ({ check, ...finding }));

/** One that throws becomes a finding. */
export async function runCheck(name: string, run: Check, context: Context): Promise<Checked[]> {
  try {
    return named(name, await run(context));
  } catch (error) {
    // Not the message, which may contain a password or what a visitor typed.
    const reason = codeOf(error) || (error instanceof Error ? error.name : 'unknown');
    const { wrong } = about(name, name);
    return named(name, [wrong(`This couldn’t be checked: ${reason}.`, 'Report this line as it is.')]);
  }
}
