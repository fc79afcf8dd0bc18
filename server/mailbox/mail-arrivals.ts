import type { FetchMessageObject, FetchQueryObject, SearchObject } from 'imapflow';
import { lastDoneAt, noteDone } from '../messages/last-done.ts';
import { type FolderRole, messagesMailedAs, notePlace, notSeenYet } from '../messages/mail-places.ts';
import type { Message } from '../messages/message.ts';
import { markSpam, notSpam } from '../messages/states.ts';
import type { MailPlace } from '../messages/table.ts';
import { field, messageIds } from './mail-headers.ts';
import { judge } from './place.ts';
import { type Look, readNew, searchFolder } from './read-folder.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
/** A mail that isn't there by then is missed. It's still found if it comes later. */
const ARRIVES_WITHIN_MS = 5 * MINUTE;
/** What was mailed longer ago, before anybody looked, may have been read and deleted. */
const MISSED_WITHIN_MS = 60 * MINUTE;
/** The most mails that one search looks for, the most folders it opens, and the most it reads of what it finds in each. */
const MOST_MISSED = 20;
const MOST_FOLDERS = 200;
const MOST_FOUND = 100;

const QUERY: FetchQueryObject = { uid: true, flags: true, headers: ['message-id'] };

/** When mails last came into the inbox or Junk that were gone before anybody looked. */
const GONE_UNSEEN = 'mailbox: mails gone unseen';

/** How many messages changed. */
export type Placed = { placed: number; spam: number; notSpam: number };

/** Notes where mails of ours came, and what it says if one was moved. */
export async function noteArrivals(look: Look, placed: Placed): Promise<void> {
  const { database, now } = look;
  const expected = await notSeenYet(database, now - MISSED_WITHIN_MS);
  const since = expected[0]?.deliveredAt ?? undefined;
  for (const role of ['inbox', 'junk'] as const) {
    await readNew(look, role, { since, query: QUERY }, async ({ mails, areNew, isWhole }) => {
      if (!isWhole) await noteDone(database, GONE_UNSEEN, database.clock.now());
      for (const [message, isRead] of await recognize(look, mails))
        await noteArrival(look, message, { role, isRead, isNew: areNew, placed });
    });
  }
}

type Arrival = { role: 'inbox' | 'junk'; isRead: boolean; isNew: boolean; placed: Placed };

async function noteArrival(look: Look, message: Message, { role, placed, ...how }: Arrival): Promise<void> {
  const { database, now } = look;
  const { place, deed } = judge(message.mailPlace, role, how);
  const from = deed === 'spam' ? 'inbox' : deed && message.state === 'spam' ? 'junk' : undefined;
  // A mail that came twice is in two places, and nobody moved it.
  if (from && (await isIn(look, from, message))) return;
  if (deed === 'spam' && (await markSpam(database, message.id, now))) placed.spam += 1;
  if (deed === 'not spam' && (await notSpam(database, message.id, now))) placed.notSpam += 1;
  if (place !== message.mailPlace) await notePlaceOf(look, message, place, placed);
}

async function isIn(look: Look, role: FolderRole, message: Message): Promise<boolean> {
  const path = look.folders.paths[role];
  if (path === undefined) return false;
  const what = { or: byMessageId([message]), deleted: false };
  const mails = await searchFolder(look.client, path, what, { query: QUERY, most: MOST_FOUND });
  return (await recognize(look, mails)).some(([{ id }]) => id === message.id);
}

async function notePlaceOf(
  { database }: Look,
  { id }: Message,
  place: MailPlace,
  placed: Placed,
): Promise<void> {
  await notePlace(database, id, place);
  placed.placed += 1;
}

/** The messages that these are the mails of, by the whole Message-ID: some servers find more than they were asked for. */
async function recognize(
  { database }: Look,
  mails: FetchMessageObject[],
): Promise<[Message, isRead: boolean][]> {
  const isRead = new Map<string, boolean>();
  for (const { headers, flags } of mails) {
    const [id] = messageIds(field(String(headers ?? ''), 'message-id'));
    if (id) isRead.set(id.toLowerCase(), flags?.has('\\Seen') ?? false);
  }
  const messages = await messagesMailedAs(database, [...isRead.keys()]);
  return messages.map((message) => [
    message,
    isRead.get(message.messageId.slice(1, -1).toLowerCase()) ?? false,
  ]);
}

/**
 * Searches every folder for mails that should have come by now: a rule of hers may have put them anywhere. `isSoon`:
 * one is on its way, so look again soon.
 */
export async function findMissed(
  look: Look,
  placed: Placed,
): Promise<{ haveSearched: boolean; isSoon: boolean }> {
  const { client, database, now, folders } = look;
  const { paths, others } = folders;
  const expected = await notSeenYet(database, now - MISSED_WITHIN_MS);
  const late = expected.filter(({ deliveredAt }) => (deliveredAt ?? now) <= now - ARRIVES_WITHIN_MS);
  const isSoon = expected.length > late.length;
  const mayBeGone = await whoseMailMayBeGone(look);
  // Others may never have been looked for.
  const isLast = (message: Message) => Number(message.mailPlace !== null || mayBeGone(message));
  const first = late.toSorted((a, b) => isLast(a) - isLast(b));
  const missed = new Map(first.slice(0, MOST_MISSED).map((message) => [message.id, message]));
  if (missed.size === 0) return { haveSearched: false, isSoon };
  const what = {
    since: new Date((late[0]?.deliveredAt ?? now) - DAY),
    or: byMessageId([...missed.values()]),
  };
  for (const path of [paths.inbox, paths.junk, ...others].slice(0, MOST_FOLDERS)) {
    if (path === undefined || missed.size === 0) continue;
    const mails = await searchFolder(client, path, what, { query: QUERY, most: MOST_FOUND });
    const place = path === paths.inbox ? 'inbox' : path === paths.junk ? 'junk' : 'elsewhere';
    for (const [message] of await recognize(look, mails))
      if (missed.delete(message.id)) await notePlaceOf(look, message, place, placed);
  }
  for (const message of missed.values())
    if (message.mailPlace === null && !mayBeGone(message))
      await notePlaceOf(look, message, 'nowhere', placed);
  return { haveSearched: true, isSoon };
}

/**
 * Whose mail may have come, and been removed before anybody looked: by her, or by a mail program that fetches mails
 * from the server. It isn't called lost.
 */
async function whoseMailMayBeGone({ database, now }: Look): Promise<(message: Message) => boolean> {
  const goneAt = await lastDoneAt(database, GONE_UNSEEN);
  // One from the future was noted under a clock that has since been corrected.
  if (goneAt === undefined || goneAt > now + MISSED_WITHIN_MS) return () => false;
  return ({ receivedAt }) => goneAt > receivedAt;
}

/** With and without brackets, since servers differ in what they take the value to be. */
function byMessageId(messages: readonly Message[]): SearchObject[] {
  return messages
    .flatMap(({ messageId }) => [messageId, messageId.slice(1, -1)])
    .map((id) => ({ header: { 'message-id': id } }));
}
