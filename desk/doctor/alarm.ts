import { span } from '../../messages/day.ts';
import { lastAt } from '../../outbox/schedule.ts';
import { about, type Check } from './check.ts';

const subject = about('messages', 'alarm', 'Alarm');

/** A failed digest is retried every half hour. */
const DIGEST_PATIENCE_MS = 60 * 60_000;

/** Whether the owner would find out if mail stopped. */
export const alarm: Check = {
  about: subject,
  needs: ['DATABASE_URL', 'TIME_ZONE', 'DIGEST', 'ALERT_WEBHOOK_URL'],
  // A Supabase function has its own settings, which we can't see from here.
  when: ({ supabaseUrl }) => !supabaseUrl,
  run: async ({ database, settings: { digest, alertWebhookUrl, timeZone }, now }) => {
    const look = await database();
    if (!('queue' in look)) return [];
    if (!digest && !alertWebhookUrl) {
      const found = 'If mails fail, only the server’s log says so: DIGEST and ALERT_WEBHOOK_URL are not set.';
      const todo =
        'Set DIGEST=daily 07:00 in .env. If that mail doesn’t come one morning, something is wrong.';
      return [subject.look(found, todo)];
    }
    // Undefined until the first digest.
    const { lastDigestAt } = look.queue;
    const dueAt = digest && lastAt(now, digest, timeZone);
    if (lastDigestAt !== undefined && dueAt && lastDigestAt < dueAt && now - dueAt > DIGEST_PATIENCE_MS) {
      const todo = 'Check that the server runs, and do what the lines about mail say. The digest then comes.';
      return [subject.wrong(`The digest that was due ${span(now - dueAt)} ago hasn’t been mailed.`, todo)];
    }
    const ways = [
      ...(digest ? ['A digest comes by mail; if it doesn’t, mail is broken.'] : []),
      ...(alertWebhookUrl ? ['If mails fail, ALERT_WEBHOOK_URL gets an alert.'] : []),
    ];
    return [subject.ok(ways.join(' '))];
  },
};
