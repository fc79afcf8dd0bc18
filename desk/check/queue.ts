import { MINUTE } from '../../contract/time.ts';
import { describeFault } from '../../server/mail/faults.ts';
import type { Held } from '../../server/messages/inspect.ts';
import { deliveredWith } from '../../server/messages/last-done.ts';
import type { Refused } from '../../server/messages/queries.ts';
import { span } from '../../server/messages/time.ts';
import { about, type Check, type Finding } from './check.ts';

const subject = about('messages', 'queue', 'Messages');
const proof = about('messages', 'delivered', 'Mails taken');

/** Longer than a mail server's restart. The alert is sent after the same time. */
const PATIENCE_MS = 15 * MINUTE;

/** How many messages are waiting or set aside, for how long, and why. */
export const messages: Check = {
  about: subject,
  needs: ['DATABASE_URL'],
  run: async ({ database, now }) => {
    const report = await database();
    if (!('queue' in report)) return [];
    const { waiting, setAside, refused, suspected } = report.queue;
    const unseen = [
      ...(refused.count > 0 ? [judgeRefused(refused)] : []),
      ...(suspected > 0 ? [judgeSuspected(suspected)] : []),
    ];
    if (waiting.count + setAside.count === 0)
      return unseen.length > 0 ? unseen : [subject.ok('All have been mailed to you.')];
    return [
      ...(setAside.count > 0
        ? [
            subject.wrong(
              `${describe(setAside, 'set aside', now)}. Nothing is lost.`,
              'Read them under “not mailed” in the inbox of your desk. Do what the lines about mail say, then have all mailed again there.',
            ),
          ]
        : []),
      ...(waiting.count > 0 ? [judgeWaiting(waiting, now)] : []),
      ...unseen,
    ];
  },
};

/** Whether a mail has come through since the settings say what they say now. */
export const delivered: Check = {
  about: proof,
  needs: ['DATABASE_URL', 'SMTP_URL', 'MAIL_FROM', 'CONTACT_EMAIL'],
  // A Supabase function has its own settings, which we can't see from here.
  when: ({ mail, supabaseUrl }) => mail.via === 'smtp' && !supabaseUrl,
  run: async ({ settings, database, now }) => {
    const report = await database();
    if (!('queue' in report)) return [];
    const at = report.queue.delivered[deliveredWith(settings)];
    if (at === undefined)
      return [
        proof.look(
          'With these settings, your mail server hasn’t taken a mail yet.',
          'Send yourself a test: npm run desk -- doctor --send-test',
        ),
      ];
    return [
      proof.ok(`With these settings, your mail server took a mail ${span(Math.max(0, now - at))} ago.`),
    ];
  },
};

const NUMBER = (count: number) => (count === 1 ? '1 message' : `${count} messages`);

/** A test of ours may well be taken: this is about what visitors write. */
function judgeRefused({ count, fault }: Refused): Finding {
  return subject.wrong(
    `The words of ${NUMBER(count)} could not be mailed to you: ${describeFault(fault)}. Nothing is lost.`,
    'Open your desk, where you can read what was written. Then tell your mail provider, with this code, that it refuses mails from your own site.',
  );
}

function judgeSuspected(count: number): Finding {
  return subject.look(
    `${NUMBER(count)} ${count === 1 ? 'looks' : 'look'} like spam, and you haven’t opened ${count === 1 ? 'it' : 'them'}.`,
    'Open your desk, where they come first. If one isn’t spam, press “Not spam”.',
  );
}

function judgeWaiting(waiting: Held, now: number): Finding {
  const found = `${describe(waiting, 'waiting to be mailed', now)}.`;
  if (now - (waiting.oldestAt ?? now) < PATIENCE_MS) {
    return waiting.fault
      ? subject.look(found, 'They’re tried again. Run this again in 15 minutes.')
      : subject.ok(found);
  }
  const todo = waiting.fault
    ? 'Do what the lines about mail say. Waiting messages then go out.'
    : 'Check that the server runs.';
  return subject.wrong(found, `${todo} To read what waits: “to be mailed” in the inbox of your desk.`);
}

function describe({ count, oldestAt = 0, fault }: Held, how: string, now: number): string {
  const why = fault ? `: ${describeFault(fault)}` : '';
  return `${count === 1 ? '1 message is' : `${count} messages are`} ${how}, the oldest for ${span(now - oldestAt)}${why}`;
}
