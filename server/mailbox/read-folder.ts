import type { FetchMessageObject, FetchQueryObject, SearchObject } from 'imapflow';
import type { Database } from '../messages/database.ts';
import { type FolderRole, noteReadUpTo, readUpTo } from '../messages/mail-places.ts';
import type { Folders, Mailbox } from './connect.ts';

const DAY = 24 * 3_600_000;
/** The most mails of a folder that one look reads: the newest. */
const MOST = 1_000;
/** EXAMINE: nothing in the folder can be changed. */
const READ_ONLY = { readOnly: true };
const BY_UID = { uid: true };

/** One look into the mailbox. */
export type Look = { client: Mailbox; database: Database; folders: Folders; now: number };

/**
 * `areNew`: they came since the last look; otherwise, they may have been there all along. `isWhole`: each mail that
 * came into the folder since the last look is among them, by the server's numbers. It isn't if one was removed again.
 */
export type NewMails = { mails: FetchMessageObject[]; areNew: boolean; isWhole: boolean };

/**
 * Reads what came into a folder since the last look. A folder that hasn't been read before is read from the time
 * `since`, or not at all without one. What isn't noted because of an error is read again.
 */
export async function readNew(
  { client, database, folders }: Look,
  role: FolderRole,
  { since, query }: { since: number | undefined; query: FetchQueryObject },
  note: (found: NewMails) => Promise<void>,
): Promise<void> {
  const path = folders.paths[role];
  if (path === undefined) return;
  const { uidValidity, uidNext } = await client.mailboxOpen(path, READ_ONLY);
  const folder = `${path} ${uidValidity}`;
  const last = await readUpTo(database, role);
  if (last?.folder === folder) {
    const from = Math.max(last.nextUid, uidNext - MOST);
    const mails = from < uidNext ? await client.fetchAll(`${from}:${uidNext - 1}`, query, BY_UID) : [];
    // A server may tell of changes to other mails as well.
    const uids = new Set(mails.map(({ uid }) => uid).filter((uid) => uid >= from && uid < uidNext));
    await note({ mails, areNew: true, isWhole: uids.size === uidNext - last.nextUid });
  } else {
    const after = since === undefined ? undefined : { since: new Date(since - DAY) };
    const mails = after ? await fetchFound(client, after, { query, most: MOST }) : [];
    await note({ mails, areNew: false, isWhole: false });
  }
  if (last?.folder !== folder || last.nextUid !== uidNext)
    await noteReadUpTo(database, role, { folder, nextUid: uidNext });
}

/** Those in that folder that a search finds: at most `most`, the newest. */
export async function searchFolder(
  client: Mailbox,
  path: string,
  what: SearchObject,
  how: { query: FetchQueryObject; most: number },
): Promise<FetchMessageObject[]> {
  await client.mailboxOpen(path, READ_ONLY);
  return fetchFound(client, what, how);
}

async function fetchFound(
  client: Mailbox,
  what: SearchObject,
  { query, most }: { query: FetchQueryObject; most: number },
): Promise<FetchMessageObject[]> {
  const uids = await client.search(what, BY_UID);
  // A search that a busy server refused isn't one that found nothing.
  if (!uids) throw new Error('The mail server refuses to search');
  return uids.length === 0 ? [] : client.fetchAll(uids.slice(-most), query, BY_UID);
}
