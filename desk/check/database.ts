import { HOUR } from '../../contract/time.ts';
import { isMailedElsewhere, storedElsewhere } from '../../server/elsewhere.ts';
import { describeFault, kindIn } from '../../server/mail/faults.ts';
import type { Waiting } from '../../server/messages/queries.ts';
import { span } from '../../server/messages/time.ts';
import { PATIENCE_MS } from '../../server/outbox/trouble.ts';
import { shortPath } from '../../settings/settings.ts';
import { count } from '../command/command.ts';
import { about, type Check, type Finding } from './finding.ts';
import { MAILBOX } from './mail-out.ts';

const file = about('database', 'Database');
const queue = about('queue', 'Messages');

const MESSAGES = '/desk/messages';

export const database: Check = async (context) => {
  const elsewhere = storedElsewhere(context.settings);
  if (elsewhere) return [file.look(elsewhere, 'The project’s page has it under Connect, Session pooler.')];
  const report = await context.database();
  const location = shortPath(report.location);
  if (report.state === 'ok') return [file.ok(`${location} can be read and written.`)];
  // In the server's own words.
  if (report.state === 'wrong') return [file.wrong(report.fault, 'Then check again.')];
  if (report.state === 'older')
    return [file.look(`${location} is from an older version of this program.`, 'The next start updates it.')];
  const todo =
    'The server creates it when it first starts: npm start. If there were messages before, check DATABASE_URL, or move their file back.';
  return [file.look(`There’s none yet at ${location}.`, todo)];
};

export const messages: Check = async ({ database, now, settings }) => {
  const report = await database();
  if (!('queue' in report)) return [];
  const { waiting, setAside, refused, held, late, deliveredAt } = report.queue;
  const found: Finding[] = [];
  const mend = isMailedElsewhere(settings)
    ? 'Correct SMTP_URL and MAIL_FROM in your project'
    : 'Do what the lines about mail say';
  if (setAside.count > 0) {
    const todo = `Read them. ${mend}, then send them again.`;
    const aside = describe(setAside, 'set aside', now);
    found.push(queue.wrong(`${aside} Nothing is lost.`, todo, `${MESSAGES}?view=set_aside`));
  }
  if (waiting.count > 0) found.push(judgeWaiting(waiting, now, mend, deliveredAt));
  // A test of ours may well be taken: this is about what visitors write.
  if (refused.count > 0) {
    const words = `The words of ${count(refused.count, 'message')} could not be mailed to you: ${describeFault(refused.fault)}.`;
    const todo =
      'Read them. Then tell your mail provider, with this code, that it refuses emails from your own site.';
    found.push(queue.wrong(`${words} Nothing is lost.`, todo, MESSAGES));
  }
  if (held.count > 0) {
    const todo = 'Look at them. If one isn’t spam, press “Not spam”.';
    found.push(queue.look(describe(held, 'held as spam', now), todo, `${MESSAGES}?view=spam`));
  }
  // An owner without reminders works from her mail alone.
  if (settings.reminders && late.count > 0) {
    const todo = 'Answer them, and mark them as answered.';
    found.push(
      queue.look(describe(late, 'not marked as answered in time', now), todo, `${MESSAGES}?view=unanswered`),
    );
  }
  const well = 'None is waiting to be mailed, and none is set aside that you haven’t seen.';
  return found.length > 0 ? found : [queue.ok(well)];
};

function judgeWaiting(waiting: Waiting, now: number, mend: string, deliveredAt = 0): Finding {
  const found = describe(waiting, 'waiting to be mailed', now);
  const { fault, oldestAt } = waiting;
  if (now - oldestAt < PATIENCE_MS)
    return fault ? queue.look(found, 'They’re tried again. Look again in 15 minutes.') : queue.ok(found);
  // Mail was taken lately: that's noted only once an hour
  const later =
    'Your mail server hasn’t answered yet, or MAIL_PER_HOUR lets no more go in an hour. Your desk has all of them.';
  if (!fault && now - deliveredAt < 2 * HOUR) return queue.look(found, later, MESSAGES);
  if (!fault)
    return queue.wrong(found, 'Do what the lines about the server and mail say. Your desk has all of them.');
  // If the mail check finds both fine, the domain doesn't vouch for its mail.
  const also = kindIn(fault) === 'setup' ? ', and if they’re well, those about the domain of MAIL_FROM' : '';
  const first = kindIn(fault) === 'mailbox' ? MAILBOX : `${mend}${also}.`;
  const todo = `${first} Waiting messages then go out.`;
  return queue.wrong(found, todo, MESSAGES);
}

function describe({ count: number, oldestAt, fault }: Waiting, how: string, now: number): string {
  const why = fault ? `: ${describeFault(fault)}` : '';
  return `${count(number, 'message')} ${number === 1 ? 'is' : 'are'} ${how}, the oldest from ${span(now - oldestAt)} ago${why}.`;
}
