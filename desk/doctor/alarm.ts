import { lastAt } from '../../outbox/schedule.ts';
import type { Settings } from '../../settings/settings.ts';
import { span } from '../time.ts';
import { about, type Check, type Finding } from './check.ts';

const subject = about('messages', 'alarm', 'Alarm');

/** A digest that could not be mailed is tried again each half hour. */
const DIGEST_PATIENCE_MS = 60 * 60_000;

/** Whether the owner hears of it when no message arrives any more. */
export const alarm: Check = {
  name: 'alarm',
  about: subject,
  needs: ['DATABASE_URL', 'TIME_ZONE', 'DIGEST', 'ALERT_WEBHOOK_URL'],
  // A project's function has settings of its own, which are not known here.
  when: ({ supabaseUrl }) => !supabaseUrl,
  run: async ({ database, settings, now }) => {
    const look = await database();
    return 'queue' in look ? [describe(settings, look.queue.lastDigestAt, now)] : [];
  },
};

/** @param lastDigestAt undefined: the server has not come to one yet */
function describe(
  { digest, alertWebhookUrl, timeZone }: Settings,
  lastDigestAt: number | undefined,
  now: number,
): Finding {
  const webhook = 'ALERT_WEBHOOK_URL is told when mails fail.';
  if (!digest) {
    return alertWebhookUrl
      ? subject.ok(webhook)
      : subject.look(
          'When mails fail, the server’s log alone tells: DIGEST and ALERT_WEBHOOK_URL are not set.',
          'Set DIGEST=daily 07:00 in .env: you then notice by the mail that does not come.',
        );
  }
  const dueAt = lastAt(now, digest, timeZone);
  if (lastDigestAt !== undefined && lastDigestAt < dueAt && now - dueAt > DIGEST_PATIENCE_MS) {
    return subject.wrong(
      `The digest that was due ${span(now - dueAt)} ago was not mailed.`,
      'See that the server runs, and to what the lines about mail say; it is then mailed by itself.',
    );
  }
  return subject.ok(
    `A digest comes by mail, and tells by its absence.${alertWebhookUrl ? ` ${webhook}` : ''}`,
  );
}
