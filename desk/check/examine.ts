import { localAddress } from '../../server/http/listen.ts';
import { type DatabaseReport, inspectDatabase } from '../../server/messages/inspect.ts';
import { DESK_CONNECTION, replyHours } from '../desk.ts';
import { WrongUsage } from '../failures.ts';
import { address } from './address.ts';
import { alarm } from './alarm.ts';
import { answers } from './answers.ts';
import { backup } from './backup.ts';
import { page } from './built-page.ts';
import { type Check, type CheckContext, type Finding, runChecks } from './check.ts';
import { database } from './check-database.ts';
import { placeholders } from './check-placeholders.ts';
import { readWhatCan, settings } from './check-settings.ts';
import { disk } from './disk-space.ts';
import { dns } from './dns.ts';
import { fileRights } from './file-rights.ts';
import { form } from './form.ts';
import { inbox } from './inbox.ts';
import { mailFolder } from './mail-folder.ts';
import { delivered, messages } from './queue.ts';
import { server } from './server.ts';
import { smtp } from './smtp.ts';
import { testMail } from './test-mail.ts';

/**
 * Keyed by what the owner types, and in the report's order. Checks that contact other
 * machines come last, since they may be slow.
 */
export const CHECKS: Record<string, Check> = {
  settings,
  database,
  messages,
  answers,
  alarm,
  backup,
  disk,
  'file-rights': fileRights,
  server,
  page,
  placeholders,
  'mail-folder': mailFolder,
  form,
  smtp,
  delivered,
  dns,
  inbox,
  address,
};

/** @param only the names of checks; without any, all of them */
export async function examine(
  only: readonly string[],
  { sendTest, dnsServer }: { sendTest?: boolean; dnsServer?: string | undefined },
): Promise<Finding[]> {
  const chosen = Object.entries(CHECKS).flatMap(([name, check]) =>
    only.length === 0 || only.includes(name) ? [check] : [],
  );
  const unknown = only.find((name) => !CHECKS[name]);
  if (unknown)
    throw new WrongUsage(`There is no check ${unknown}. Choose one of: ${Object.keys(CHECKS).join(', ')}.`);
  const read = readWhatCan();
  const now = Date.now();
  let report: Promise<DatabaseReport> | undefined;
  const context: CheckContext = {
    settings: read.settings,
    settingsFindings: read.findings,
    now,
    ownUrl: localAddress(read.settings.host, read.settings.port),
    dnsServer,
    database() {
      report ??= inspectDatabase(read.settings.database, {
        now,
        replyHours: replyHours(),
        connection: DESK_CONNECTION,
      });
      return report;
    },
  };
  const found = await runChecks(chosen, context, read.faulty);
  // Last, since it opens the database, which migrates it and would hide a finding.
  return sendTest ? [...found, ...(await runChecks([testMail], context, read.faulty))] : found;
}
