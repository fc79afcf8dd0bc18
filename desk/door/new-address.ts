import type { Log } from '../../server/log.ts';
import type { Mailer } from '../../server/mail/transport.ts';
import { SETTINGS } from '../../settings/schema.ts';
import { PROJECT_ROOT, readEnvFile, type Settings } from '../../settings/settings.ts';
import { withValue, writeEnv } from '../settings/env-file.ts';
import { movedMail } from './mails.ts';

/** Longer, and whoever pressed the button would think that it hangs. */
const TELL_MS = 10_000;

type Parts = { settings: Settings; mailer: Mailer; log: Log };

/** Makes an address the owner's, once she has opened a link that was mailed there, and tells the former one. */
export async function changeOwner(to: string, now: number, { settings, mailer, log }: Parts): Promise<void> {
  if (settings.mail.via === 'smtp') {
    await mailer
      .send(movedMail(to, now, settings), AbortSignal.timeout(TELL_MS))
      .catch((error) => log.error({ err: error }, 'the former address was not told of the new one'));
  }
  const { text } = readEnvFile(PROJECT_ROOT);
  await writeEnv(PROJECT_ROOT, withValue(text, SETTINGS.contactEmail.name, to));
}
