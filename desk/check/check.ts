import { localAddress } from '../../server/http/listen.ts';
import { inspectDatabase } from '../../server/messages/inspect.ts';
import { codeOf } from '../../server/messages/store-error.ts';
import { loadEnv, readSettings, type Settings, SettingsError } from '../../settings/settings.ts';
import { DESK_CONNECTION, replyHours } from '../command/desk.ts';
import { address } from './address.ts';
import { database } from './database.ts';
import { disk } from './disk.ts';
import { domain } from './domain.ts';
import { about, type Check, type CheckName, type Context, type Finding } from './finding.ts';
import { mailOut } from './mail-out.ts';
import { messages } from './messages.ts';
import { server } from './server.ts';
import { faultsOf, settings } from './settings.ts';
import { testMail } from './test-mail.ts';

/** In the order of the report. */
export const CHECKS: Record<CheckName, Check> = {
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

/**
 * What's well, to look at and wrong. Takes some seconds, and minutes while a server doesn't answer.
 *
 * @param sendTest whether to send a message through the form to the owner; otherwise nothing is changed
 */
export async function check(sendTest: boolean): Promise<Finding[]> {
  try {
    return await checkAll(readSettings(loadEnv()), sendTest);
  } catch (error) {
    if (error instanceof SettingsError) return faultsOf(error);
    throw error;
  }
}

async function checkAll(read: Settings, sendTest: boolean): Promise<Finding[]> {
  const now = Date.now();
  const options = { ...DESK_CONNECTION, now, replyHours };
  const report = inspectDatabase(read.database, options);
  // A test opens the database, which migrates it and would hide a finding.
  await (sendTest && report);
  const context: Context = {
    settings: read,
    ...{ now, sendTest },
    ownUrl: localAddress(read.host, read.port),
    database: () => report,
  };
  const all = Object.entries(CHECKS) as [CheckName, Check][];
  return (await Promise.all(all.map(([name, run]) => runCheck(name, run, context)))).flat();
}

/** One that throws becomes a finding. */
export async function runCheck(name: CheckName, run: Check, context: Context): Promise<readonly Finding[]> {
  try {
    return await run(context);
  } catch (error) {
    // Not the message, which may contain a password or what a visitor typed.
    const reason = codeOf(error) || (error instanceof Error ? error.name : 'unknown');
    const { wrong } = about(name, name, name);
    return [wrong(`This couldn’t be checked: ${reason}.`, 'Report this line as it is.')];
  }
}
