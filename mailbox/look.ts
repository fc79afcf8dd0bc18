import type { FetchMessageObject, FetchQueryObject, SearchObject } from 'imapflow';
import type { Database } from '../messages/database.ts';
import {
  type FolderRole,
  messagesMailedAs,
  notePlace,
  noteReadUpTo,
  notSeenYet,
  readUpTo,
  unansweredFrom,
} from '../messages/mail-places.ts';
import { type Message, PROMISED_MS } from '../messages/message.ts';
import { countUnanswered } from '../messages/queries.ts';
import { markSpam, notSpam, setAnswered } from '../messages/states.ts';
import type { MailPlace } from '../messages/table.ts';
import { type Folders, findFolders, type Mailbox } from './connect.ts';
import { field, isAnswerTo, isMailTo, messageIds, type SentMail } from './mail-headers.ts';
import { judge } from './place.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
/** A mail that isn't there by then is missed. It's still found if it comes later. */
const ARRIVES_WITHIN_MS = 5 * MINUTE;
/** What was mailed longer ago, before anybody looked, may have been read and deleted. */
const MISSED_WITHIN_MS = 60 * MINUTE;
/** How far back answers are looked for in a folder that hasn't been read before. */
const ANSWERS_DAYS = 30;
/** At most so many mails of a folder are read in one look, the newest. */
const MOST = 2_000;
/** A search for lost mails looks for at most so many, in so many folders, and at so many of those found in each. */
const MOST_MISSED = 20;
const MOST_FOLDERS = 200;
const MOST_FOUND = 100;

const WHERE: FetchQueryObject = { uid: true, flags: true, headers: ['message-id'] };
const WHAT: FetchQueryObject = {
  uid: true,
  envelope: true,
  internalDate: true,
  headers: ['in-reply-to', 'references', 'auto-submitted'],
};
const BY_UID = { uid: true };
/** EXAMINE: nothing in the folder can be changed. */
const READ_ONLY = { readOnly: true };

type Options = {
  database: Database;
  now: number;
  /** False: mails only go to files. */
  areMailed: boolean;
  /** The owner's own addresses. */
  own: readonly string[];
};

/** `answered` and the others are how many messages changed. `isSoon`: a mail is on its way, so look again soon. */
export type Seen = { placed: number; answered: number; spam: number; notSpam: number; isSoon: boolean };

/** Looks once for what's new in the owner's mailbox. Reads only headers, and leaves its folder of sent mails open. */
export async function lookInto(client: Mailbox, { database, now, areMailed, own }: Options): Promise<Seen> {
  const seen: Seen = { placed: 0, answered: 0, spam: 0, notSpam: 0, isSoon: false };
  const folders = await findFolders(client);
  if (areMailed) {
    const expected = await notSeenYet(database, now - MISSED_WITHIN_MS);
    const since = expected[0]?.deliveredAt ?? undefined;
    for (const role of ['inbox', 'junk'] as const) {
      await readNew(role, since, WHERE, (mails, areNew) => notePlaces(mails, role, areNew));
    }
  }
  await readAnswers();
  // Last, since it may take long, or be refused.
  if (areMailed && (await findMissed(folders))) await readAnswers();
  return seen;

  async function readAnswers(): Promise<void> {
    const { oldestAnswerDueAt } = await countUnanswered(database, now);
    const oldestAt = oldestAnswerDueAt && Math.max(oldestAnswerDueAt - PROMISED_MS, now - ANSWERS_DAYS * DAY);
    await readNew('sent', oldestAt, WHAT, noteAnswers);
  }

  /**
   * Reads what came into a folder since the last look. A folder that hasn't been read before is read from the time
   * `since`, or not at all without one; its mails needn't be new there. What isn't noted because of an error is read
   * again.
   */
  async function readNew(
    role: FolderRole,
    since: number | undefined,
    query: FetchQueryObject,
    note: (mails: FetchMessageObject[], areNew: boolean) => Promise<void>,
  ): Promise<void> {
    const path = folders.paths[role];
    if (path === undefined) return;
    const { uidValidity, uidNext } = await client.mailboxOpen(path, READ_ONLY);
    const folder = `${path} ${uidValidity}`;
    const last = await readUpTo(database, role);
    const from = last?.folder === folder ? Math.max(last.nextUid, uidNext - MOST) : undefined;
    let mails: FetchMessageObject[] = [];
    if (from !== undefined) {
      // A range that ends with * always has the last mail, even if it begins behind it.
      if (from < uidNext) mails = await client.fetchAll(`${from}:*`, query, BY_UID);
    } else if (since !== undefined) {
      mails = await fetchFound({ since: new Date(since - DAY) }, query, MOST);
    }
    await note(mails, from !== undefined);
    const nextUid = Math.max(uidNext, ...mails.map(({ uid }) => uid + 1));
    if (last?.folder !== folder || last.nextUid !== nextUid)
      await noteReadUpTo(database, role, { folder, nextUid });
  }

  /** At most `most`, the newest. */
  async function fetchFound(what: SearchObject, query: FetchQueryObject, most: number) {
    const uids = await client.search(what, BY_UID);
    // A search that a busy server refused isn't one that found nothing.
    if (!uids) throw new Error('The mail server refuses to search');
    return uids.length === 0 ? [] : client.fetchAll(uids.slice(-most), query, BY_UID);
  }

  async function notePlaces(
    mails: FetchMessageObject[],
    role: 'inbox' | 'junk',
    areNew: boolean,
  ): Promise<void> {
    for (const [message, isRead] of await recognize(mails)) {
      const { place, deed } = judge(message.mailPlace, role, { isRead, isNew: areNew });
      const from = deed === 'spam' ? 'inbox' : deed && message.state === 'spam' ? 'junk' : undefined;
      // A mail that came twice is in two places, and nobody moved it.
      if (from && (await isIn(from, message))) continue;
      if (deed === 'spam' && (await markSpam(database, message.id, now))) seen.spam += 1;
      if (deed === 'not spam' && (await notSpam(database, message.id, now))) seen.notSpam += 1;
      if (place !== message.mailPlace) await notePlaceOf(message, place);
    }
  }

  async function isIn(role: FolderRole, message: Message): Promise<boolean> {
    const path = folders.paths[role];
    if (path === undefined) return false;
    await client.mailboxOpen(path, READ_ONLY);
    const mails = await fetchFound({ or: byMessageId([message]), deleted: false }, WHERE, MOST_FOUND);
    return (await recognize(mails)).some(([{ id }]) => id === message.id);
  }

  async function notePlaceOf({ id }: Message, place: MailPlace): Promise<void> {
    await notePlace(database, id, place);
    seen.placed += 1;
  }

  /** The messages that these are the mails of, by the whole Message-ID: some servers find more than they were asked for. */
  async function recognize(mails: FetchMessageObject[]): Promise<[Message, isRead: boolean][]> {
    const isRead = new Map<string, boolean>();
    for (const { headers, flags } of mails) {
      const [id] = messageIds(field(String(headers ?? ''), 'message-id'));
      if (id) isRead.set(`<${id}>`.toLowerCase(), flags?.has('\\Seen') ?? false);
    }
    const messages = await messagesMailedAs(
      database,
      [...isRead.keys()].map((id) => id.slice(1, -1)),
    );
    return messages.map((message) => [message, isRead.get(message.messageId.toLowerCase()) ?? false]);
  }

  /**
   * Searches every folder for mails that should have come by now: a rule of hers may have put them anywhere. Says
   * whether there were any.
   */
  async function findMissed({ paths, others }: Folders): Promise<boolean> {
    const expected = await notSeenYet(database, now - MISSED_WITHIN_MS);
    const late = expected.filter(({ deliveredAt }) => (deliveredAt ?? now) <= now - ARRIVES_WITHIN_MS);
    seen.isSoon = expected.length > late.length;
    // One that was missed before may have come since, but others may never have been looked for.
    const first = late.toSorted((a, b) => Number(a.mailPlace !== null) - Number(b.mailPlace !== null));
    const missed = new Map(first.slice(0, MOST_MISSED).map((message) => [message.id, message]));
    if (missed.size === 0) return false;
    const since = new Date((late[0]?.deliveredAt ?? now) - DAY);
    const or = byMessageId([...missed.values()]);
    for (const path of [paths.inbox, paths.junk, ...others].slice(0, MOST_FOLDERS)) {
      if (path === undefined || missed.size === 0) continue;
      await client.mailboxOpen(path, READ_ONLY);
      const mails = await fetchFound({ since, or }, WHERE, MOST_FOUND);
      for (const [message] of await recognize(mails)) {
        const place = path === paths.inbox ? 'inbox' : path === paths.junk ? 'junk' : 'elsewhere';
        if (missed.delete(message.id)) await notePlaceOf(message, place);
      }
    }
    for (const message of missed.values())
      if (message.mailPlace === null) await notePlaceOf(message, 'nowhere');
    return true;
  }

  async function noteAnswers(mails: FetchMessageObject[]): Promise<void> {
    const sent = mails
      .map(readSent)
      .filter(({ isAutomatic }) => !isAutomatic)
      .toSorted((a, b) => a.at - b.at);
    if (sent.length === 0) return;
    const named = await messagesMailedAs(
      database,
      sent.flatMap(({ answers }) => answers),
    );
    const recipients = sent.flatMap((mail) => mail.recipients);
    const waiting = await unansweredFrom(database, recipients);
    for (const mail of sent) {
      const answered = [
        ...named.filter((message) => isAnswerTo(mail, message, own)),
        ...waiting.filter((message) => isMailTo(mail, message)),
      ];
      for (const { id, receivedAt } of answered) {
        // Her clock may be wrong.
        const at = Math.min(Math.max(mail.at, receivedAt), Math.max(now, receivedAt));
        if (await setAnswered(database, id, at)) seen.answered += 1;
      }
    }
  }
}

/** With and without brackets, since servers differ in what they take the value to be. */
function byMessageId(messages: readonly Message[]): SearchObject[] {
  return messages
    .flatMap(({ messageId }) => [messageId, messageId.slice(1, -1)])
    .map((id) => ({ header: { 'message-id': id } }));
}

function readSent({ headers, envelope, internalDate }: FetchMessageObject): SentMail {
  const text = String(headers ?? '');
  const { to = [], cc = [], bcc = [], subject = '', date } = envelope ?? {};
  const at = [date, internalDate].map((time) => new Date(time ?? Number.NaN).getTime());
  return {
    recipients: [...to, ...cc, ...bcc].flatMap(({ address }) => address?.toLowerCase() || []),
    subject,
    at: at.find(Number.isFinite) ?? 0,
    answers: messageIds(`${field(text, 'in-reply-to')} ${field(text, 'references')}`),
    isAutomatic: /^(?!no\b)./i.test(field(text, 'auto-submitted')),
  };
}
