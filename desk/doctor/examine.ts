import { type DatabaseLook, lookAtDatabase } from '../../messages/look.ts';
import { localAddress } from '../../server/listen.ts';
import { DESK_CONNECTION } from '../desk.ts';
import { WrongUsage } from '../failures.ts';
import { type CheckContext, type Finding, runChecks } from './check.ts';
import { CHECKS } from './checks.ts';
import { readWhatCan } from './settings.ts';
import { testMail } from './test-mail.ts';

type Options = { now: number; sendTest?: true; dnsServer?: string };

/** @param only the name of one check; undefined is all */
export async function examine(
  only: string | undefined,
  { now, sendTest, dnsServer }: Options,
): Promise<Finding[]> {
  const chosen = CHECKS.filter(({ name }) => only === undefined || name === only);
  if (chosen.length === 0) {
    const names = CHECKS.map(({ name }) => name).join(', ');
    throw new WrongUsage(`There is no check ${only}. Choose one of: ${names}.`);
  }
  const { settings, faulty, findings } = readWhatCan();
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
  const found = await runChecks(chosen, context, faulty);
  // Last and alone, since opening the database brings it up to date and would mend what is looked at above.
  return sendTest ? [...found, ...(await runChecks([testMail], context, faulty))] : found;
}
