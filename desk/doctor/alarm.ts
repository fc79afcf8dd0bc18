import { lastAt } from '../../outbox/schedule.ts';
import type { Settings } from '../../settings/settings.ts';
import { span } from '../time.ts';
import { about, type Finding } from './finding.ts';

const alarm = about('messages', 'alarm', 'Alarm');

/** A digest that could not be mailed is tried again each half hour. */
const DIGEST_PATIENCE_MS = 60 * 60_000;

type AlarmSettings = Pick<Settings, 'digest' | 'alertWebhookUrl' | 'timeZone'>;

/**
 * Whether the owner hears of it when no message arrives any more.
 *
 * @param lastDigestAt milliseconds since 1970; null: the server has not come to one yet
 */
export function describeAlarm(
  { digest, alertWebhookUrl, timeZone }: AlarmSettings,
  lastDigestAt: number | null,
  now: number,
): Finding {
  const webhook = 'ALERT_WEBHOOK_URL is told when mails fail.';
  if (!digest) {
    return alertWebhookUrl
      ? alarm.ok(webhook)
      : alarm.look(
          'When mails fail, the server’s log alone tells: DIGEST and ALERT_WEBHOOK_URL are not set.',
          'Set DIGEST=daily 07:00 in .env: you then notice by the mail that does not come.',
        );
  }
  const dueAt = lastAt(now, digest, timeZone);
  if (lastDigestAt !== null && lastDigestAt < dueAt && now - dueAt > DIGEST_PATIENCE_MS) {
    return alarm.wrong(
      `The digest that was due ${span(now - dueAt)} ago was not mailed.`,
      'See that the server runs, and to what the lines about mail say; it is then mailed by itself.',
    );
  }
  return alarm.ok(`A digest comes by mail, and tells by its absence.${alertWebhookUrl ? ` ${webhook}` : ''}`);
}
