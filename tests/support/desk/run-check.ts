import { runCheck } from '../../../desk/check/check.ts';
import type { Check, Context } from '../../../desk/check/finding.ts';
import { type Fetch, listen } from '../../../server/http/listen.ts';
import { inspectDatabase } from '../../../server/messages/open.ts';
import { readSettings } from '../../../settings/settings.ts';
import { untilEnd } from '../network/until-end.ts';
import { START } from '../service.ts';

/** What one of the doctor's checks finds with the settings that `env` makes, each line as `id verdict: found`. */
export async function linesOf(
  check: Check,
  env: Record<string, string | undefined> = {},
  change: Partial<Context> = {},
): Promise<string[]> {
  const settings = readSettings(env);
  const findings = await runCheck('settings', check, {
    settings,
    now: START,
    ownUrl: 'http://127.0.0.1:8080',
    sendTest: false,
    database: () => inspectDatabase(settings, { now: START }),
    ...change,
  });
  return findings.map(({ id, verdict, found }) => `${id} ${verdict}: ${found}`);
}

export async function listenUntilTestEnds(fetch: Fetch): Promise<string> {
  const { port } = await untilEnd(listen(fetch, { host: '127.0.0.1', port: 0 }));
  return `http://127.0.0.1:${port}`;
}
