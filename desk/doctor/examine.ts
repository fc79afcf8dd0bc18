import { type DatabaseLook, lookAtDatabase } from '../../messages/look.ts';
import { localAddress } from '../../server/listen.ts';
import { DESK_CONNECTION } from '../desk.ts';
import { WrongUsage } from '../failures.ts';
import { type CheckContext, type Finding, runChecks } from './check.ts';
import { CHECKS } from './checks.ts';
import { readWhatCan } from './settings.ts';
import { testMail } from './test-mail.ts';

/** @param only the name of one check; undefined is all */
export async function examine(
  only: string | undefined,
  { sendTest, dnsServer }: { sendTest?: true; dnsServer?: string },
): Promise<Finding[]> {
  const one = CHECKS[only ?? ''];
  if (only !== undefined && !one)
    throw new WrongUsage(`There is no check ${only}. Choose one of: ${Object.keys(CHECKS).join(', ')}.`);
  const { settings, faulty, findings } = readWhatCan();
  const now = Date.now();
  let look: Promise<DatabaseLook> | undefined;
  const context: CheckContext = {
    settings,
    settingsFindings: findings,
    now,
    ownUrl: localAddress(settings.host, settings.port),
    dnsServer,
    database() {
      look ??= lookAtDatabase(settings.database, { now, connection: DESK_CONNECTION });
      return look;
    },
  };
  const found = await runChecks(one ? [one] : Object.values(CHECKS), context, faulty);
  // Afterwards, since it opens the database, which migrates it and would hide a finding.
  return sendTest ? [...found, ...(await runChecks([testMail], context, faulty))] : found;
}
