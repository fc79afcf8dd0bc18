import { promisedMs } from '../../contract/promise.ts';
import { countUnanswered } from '../messages/counts.ts';
import type { Database } from '../messages/database.ts';
import { messagesMailedAs, unansweredFrom } from '../messages/mail-places.ts';
import { setAnswered, setPerhapsAnswered } from '../messages/states.ts';
import { findFolders, type Mailbox } from './connect.ts';
import { findMissed, noteArrivals } from './mail-arrivals.ts';
import { type Look, type NewMails, readNew } from './read-folder.ts';
import { judgeAnswer, readSent, SENT_QUERY } from './sent-mail.ts';

/** How far back answers are looked for in a folder that hasn't been read before. */
const ANSWERS_MS = 30 * 24 * 3_600_000;

type Options = {
  database: Database;
  now: number;
  /** False: mails only go to files. */
  areMailed: boolean;
  /** The owner's own addresses. */
  own: readonly string[];
};

/** `answered` and the others are how many messages changed. `isSoon`: a mail is on its way, so look again soon. */
export type Seen = {
  placed: number;
  answered: number;
  perhaps: number;
  spam: number;
  notSpam: number;
  isSoon: boolean;
};

/** Looks once for what's new in the owner's mailbox. Reads only headers, and leaves its folder of sent mails open. */
export async function lookInto(client: Mailbox, { database, now, areMailed, own }: Options): Promise<Seen> {
  const seen: Seen = { placed: 0, answered: 0, perhaps: 0, spam: 0, notSpam: 0, isSoon: false };
  const look = { client, database, now, folders: await findFolders(client) };
  if (areMailed) await noteArrivals(look, seen);
  await readAnswers(look, own, seen);
  if (!areMailed) return seen;
  // Last, since it may take long, or be refused.
  const { haveSearched, isSoon } = await findMissed(look, seen);
  seen.isSoon = isSoon;
  if (haveSearched) await readAnswers(look, own, seen);
  return seen;
}

async function readAnswers(look: Look, own: readonly string[], seen: Seen): Promise<void> {
  const { database, now } = look;
  const { oldestAnswerDueAt } = await countUnanswered(database, now);
  const since = oldestAnswerDueAt && Math.max(oldestAnswerDueAt - promisedMs(), now - ANSWERS_MS);
  await readNew(look, 'sent', { since, query: SENT_QUERY }, (found) => noteAnswers(look, found, own, seen));
}

async function noteAnswers(
  { database, now }: Look,
  { mails }: NewMails,
  own: readonly string[],
  seen: Seen,
): Promise<void> {
  const sent = mails.map(readSent).toSorted((a, b) => a.at - b.at);
  const named = await messagesMailedAs(
    database,
    sent.flatMap(({ answers }) => answers),
  );
  const recipients = sent.flatMap((mail) => [...mail.recipients, ...mail.blind]);
  const others = await unansweredFrom(database, recipients);
  const candidates = [...new Map([...named, ...others].map((message) => [message.id, message])).values()];
  for (const mail of sent) {
    for (const message of candidates) {
      const verdict = judgeAnswer(mail, message, own);
      if (!verdict) continue;
      const { id, receivedAt } = message;
      // Her clock may be wrong.
      const at = Math.min(Math.max(mail.at, receivedAt), Math.max(now, receivedAt));
      const note = verdict === 'answered' ? setAnswered : setPerhapsAnswered;
      if (await note(database, id, at)) seen[verdict] += 1;
    }
  }
}
