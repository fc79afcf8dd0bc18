import type { Log } from '../../server/log.ts';
import type { Mailer } from '../../server/mail/transport.ts';
import { SETTINGS } from '../../settings/schema.ts';
import { PROJECT_ROOT, readEnvFile, type Settings } from '../../settings/settings.ts';
import { withValue, writeEnv } from '../settings/env-file.ts';
import { movedMail } from './mails.ts';

/** Below the time that a server which starts anew, as this one then does, leaves to an answer in hand. */
const TELL_MS = 5_000;

type Parts = { settings: Settings; mailer: Mailer; log: Log };

/** Makes an address the owner's, once she has opened a link that was mailed there. */
export async function writeOwner(to: string): Promise<void> {
  const { text } = readEnvFile(PROJECT_ROOT);
  await writeEnv(PROJECT_ROOT, withValue(text, SETTINGS.contactEmail.name, to));
}

/** Tells the former address, so that nobody takes a desk over unseen. */
export async function tellFormer(to: string, now: number, { settings, mailer, log }: Parts): Promise<void> {
  if (settings.mail.via !== 'smtp') return;
  await mailer
    .send(movedMail(to, now, settings), AbortSignal.timeout(TELL_MS))
    .catch((error) => log.error({ err: error }, 'the former address was not told of the new one'));
}
