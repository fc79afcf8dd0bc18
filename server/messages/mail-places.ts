import { isState } from './claims.ts';
import type { Database } from './database.ts';
import { isAstray, isUnanswered, type Message, toMessage } from './message.ts';
import type { MailPlace } from './table.ts';

// What the owner's mailbox tells about messages. `mailbox/` looks into it, and asks and notes here.

type Source = Pick<Database, 'db'>;

const AT_ONCE = 500;
/** As the store makes them. */
const MESSAGE_ID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}(?=@)/i;

/** The messages whose mails have these Message-IDs, without brackets. Anything else is passed over. */
export async function messagesMailedAs({ db }: Source, messageIds: readonly string[]): Promise<Message[]> {
  const wanted = new Set(messageIds.map((id) => `<${id}>`.toLowerCase()));
  const ids = [...new Set(messageIds.flatMap((id) => MESSAGE_ID.exec(id)?.[0].toLowerCase() ?? []))];
  const found: Message[] = [];
  for (let start = 0; start < ids.length; start += AT_ONCE) {
    const some = ids.slice(start, start + AT_ONCE);
    const rows = await db.selectFrom('contact_message').selectAll().where('id', 'in', some).execute();
    found.push(...rows.map(toMessage));
  }
  return found.filter(({ messageId }) => wanted.has(messageId.toLowerCase()));
}

/** Those that wait for an answer, from one of these addresses in lower case. */
export async function unansweredFrom({ db }: Source, addresses: readonly string[]): Promise<Message[]> {
  const wanted = [...new Set(addresses)];
  const found: Message[] = [];
  for (let start = 0; start < wanted.length; start += AT_ONCE) {
    const rows = await db
      .selectFrom('contact_message')
      .selectAll()
      .where(isUnanswered)
      .where(({ eb, fn }) => eb(fn('lower', ['email']), 'in', wanted.slice(start, start + AT_ONCE)))
      .execute();
    found.push(...rows.map(toMessage));
  }
  return found;
}

/** Mailed since then, and not seen in any folder yet, the oldest first. */
export async function notSeenYet(
  { db, engine }: Pick<Database, 'db' | 'engine'>,
  since: number,
): Promise<Message[]> {
  const rows = await db
    .selectFrom('contact_message')
    .selectAll()
    .where(isState(engine, 'sent'))
    .where('sent_at', '>=', since)
    .where(({ eb, or }) => or([eb('mail_place', 'is', null), eb('mail_place', '=', 'nowhere')]))
    .orderBy('sent_at')
    .limit(AT_ONCE)
    .execute();
  return rows.map(toMessage);
}

export async function notePlace({ db, write }: Database, id: string, place: MailPlace): Promise<void> {
  await write(db.updateTable('contact_message').set({ mail_place: place }).where('id', '=', id));
}

/** Mails that the owner may not know of, by what became of them. */
export type Astray = { inJunk: number; nowhere: number };

/** How long each is reported to her, unless she answers, or says that it's spam. */
const TOLD_MS = 7 * 24 * 3_600_000;

export async function countAstray({ db }: Source, now: number): Promise<Astray> {
  const { inJunk, nowhere } = await db
    .selectFrom('contact_message')
    .select(({ fn }) => [
      fn.countAll<number>().filterWhere('mail_place', '=', 'junk').as('inJunk'),
      fn.countAll<number>().filterWhere('mail_place', '=', 'nowhere').as('nowhere'),
    ])
    .where(isAstray)
    .where('received_at', '>=', now - TOLD_MS)
    .executeTakeFirstOrThrow();
  return { inJunk, nowhere };
}

/** `2 mails went to your Junk folder`, for a list in a sentence. What isn't there isn't named. */
export function astrayWords({ inJunk, nowhere }: Astray): string[] {
  const mails = (count: number) => (count === 1 ? '1 mail' : `${count.toLocaleString('en')} mails`);
  return [
    ...(inJunk > 0 ? [`${mails(inJunk)} went to your Junk folder`] : []),
    ...(nowhere > 0 ? [`${mails(nowhere)} didn’t arrive in your mailbox within five minutes`] : []),
  ];
}

/** A folder that's read. */
export type FolderRole = 'inbox' | 'junk' | 'sent';

/** `folder` tells it from any other that had the role. Mails from `nextUid` on haven't been read. */
export type ReadUpTo = { folder: string; nextUid: number };

export async function readUpTo({ db }: Source, role: FolderRole): Promise<ReadUpTo | undefined> {
  const row = await db.selectFrom('mail_folder').selectAll().where('role', '=', role).executeTakeFirst();
  return row && { folder: row.folder, nextUid: row.next_uid };
}

export async function noteReadUpTo(
  { db, write }: Database,
  role: FolderRole,
  { folder, nextUid }: ReadUpTo,
): Promise<void> {
  await write(
    db
      .insertInto('mail_folder')
      .values({ role, folder, next_uid: nextUid })
      .onConflict((conflict) => conflict.column('role').doUpdateSet({ folder, next_uid: nextUid })),
  );
}
