import { createHmac, randomBytes } from 'node:crypto';
import { chownSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DAY, HOUR, MINUTE } from '../../contract/time.ts';
import { makeFolder, sync } from '../../server/files.ts';
import { sameText } from '../../server/http/client.ts';
import type { Database } from '../../server/messages/database.ts';
import { codeOf } from '../../server/messages/store-error.ts';
import { PROJECT_ROOT, type Settings } from '../../settings/settings.ts';
import { deskAddress } from './place.ts';

/** How long a link opens the desk. A mail server that greylists takes a quarter of an hour. */
export const LINK_MS = 30 * MINUTE;
/** How long the same one is mailed again. Even one mailed at the last moment still works for a while. */
const SAME_MS = 20 * MINUTE;
/** For each requester: how many new ones, and how often each is mailed. */
const MOST_NEW = [
  { links: 3, within: HOUR },
  { links: 10, within: DAY },
];
/** Past that, one in this time, so that nobody who asks for her links keeps her out for longer. */
const TRICKLE_MS = 3 * HOUR;
const MOST_MAILS = 3;
const MAIL_PAUSE_MS = MINUTE;
/** Anything further ahead than clocks usually get set back came from a wrong one. */
export const AHEAD_MS = MINUTE;

type LinkTable = {
  id: string;
  made_at: number;
  asked_by: string;
  mailed_to: string | null;
  is_new_address: number;
  mails: number;
  mailed_at: number | null;
  used_at: number | null;
};

/** For a link that's shown rather than mailed: the machine's own terminal. */
const MACHINE = 'machine';
/** Anyone whose browser was never let in. */
export const STRANGER = 'stranger';

export function openLinks(database: Database, sign: Sign) {
  const db = database.db.withTables<{ desk_link: LinkTable }>();
  let last: Promise<unknown> = Promise.resolve();

  const tokenOf = (id: string) => `${id}${sign('link', id)}`;

  async function add(made_at: number, asked_by: string, mailed_to: string | null, is_new_address = 0) {
    const id = randomBytes(9).toString('base64url');
    const unused = { mails: 0, mailed_at: null, used_at: null };
    const link: LinkTable = { id, made_at, asked_by, mailed_to, is_new_address, ...unused };
    const outdated = db.deleteFrom('desk_link').where('made_at', '<', made_at - DAY);
    await database.write(outdated, db.insertInto('desk_link').values(link));
    return link;
  }

  async function takeMail(askedBy: string, to: string, now: number) {
    const asked = await db
      .selectFrom('desk_link')
      .selectAll()
      .where('asked_by', '=', askedBy)
      .where('made_at', '>', now - DAY)
      .where('made_at', '<=', now + AHEAD_MS)
      .where('is_new_address', '=', 0)
      .execute();
    const good = asked.find(
      ({ made_at, mailed_to, used_at }) => used_at === null && mailed_to === to && made_at > now - SAME_MS,
    );
    const madeWithin = (ms: number) => asked.filter(({ made_at }) => made_at > now - ms).length;
    const isTooMany = MOST_NEW.some(({ links, within }) => madeWithin(within) >= links);
    if (!good && isTooMany && madeWithin(TRICKLE_MS) > 0) return undefined;
    const { id, made_at, mails, mailed_at } = good ?? (await add(now, askedBy, to));
    if (mails >= MOST_MAILS || (mailed_at !== null && mailed_at > now - MAIL_PAUSE_MS)) return undefined;
    const mailed = db
      .updateTable('desk_link')
      .set({ mails: mails + 1, mailed_at: now })
      .where('id', '=', id);
    // Unless another server on this database was first
    const { changes } = await database.write(mailed.where('mails', '=', mails));
    return changes === 1 ? { token: tokenOf(id), until: made_at + LINK_MS } : undefined;
  }

  return {
    /** What to mail now, unless enough was. @param askedBy a device's id, or `STRANGER`: none slows down another */
    toMail(askedBy: string, to: string, now: number) {
      // One at a time, or each would miss what the one before it did.
      const turn = last.then(() => takeMail(askedBy, to, now));
      last = turn.catch(() => undefined);
      return turn;
    },
    toShow: async (now: number) => tokenOf((await add(now, MACHINE, null)).id),
    /** Whoever opens it makes `to` the owner's address. */
    toNewAddress: async (to: string, now: number) => tokenOf((await add(now, MACHINE, to, 1)).id),

    /** The link, if it opens the desk now, and the owner's new address, if it sets one. Doesn't use it up. */
    async find(token: string, owner: string, now: number) {
      const id = token.slice(0, 12);
      if (!sameText(token, tokenOf(id))) return undefined;
      const link = await db.selectFrom('desk_link').selectAll().where('id', '=', id).executeTakeFirst();
      if (!link || link.used_at !== null) return undefined;
      // One from the future came from a wrong clock, and would be good for too long.
      if (link.made_at <= now - LINK_MS || link.made_at > now + AHEAD_MS) return undefined;
      const newAddress = link.is_new_address === 1 ? link.mailed_to : null;
      // Her former mailbox no longer opens anything.
      const isHers = link.mailed_to === null || link.mailed_to === owner || newAddress !== null;
      return isHers ? { id, newAddress } : undefined;
    },
    /** False if another was first. */
    async use(id: string, now: number): Promise<boolean> {
      const used = db.updateTable('desk_link').set({ used_at: now }).where('id', '=', id);
      return (await database.write(used.where('used_at', 'is', null))).changes === 1;
    },
    forgetAll: () => database.write(db.deleteFrom('desk_link')),
  };
}

/** A link to show, for whoever is at the machine. @param here the site's address for a browser on this machine */
export async function makeLink(settings: Settings, database: Database, here: string): Promise<string> {
  const token = await openLinks(database, openKey(settings)).toShow(Date.now());
  return `${deskAddress(settings, here)}/in/${token}`;
}

/** Signs with a key that's in no database and in no backup. A signature counts for one purpose only. */
type Sign = (purpose: 'link' | 'form' | 'device', text: string) => string;

/** All servers on one Postgres share its password, so a link from one opens the desk at another. */
export function openKey({ database }: Pick<Settings, 'database'>): Sign {
  const key =
    // As it's written before the @, since earlier keys came from that; otherwise from a parameter.
    (database.engine === 'postgres' && (URL.parse(database.url)?.password || database.address.password)) ||
    keyIn(database.engine === 'sqlite' ? dirname(database.file) : join(PROJECT_ROOT, 'data'));
  return (purpose, text) => createHmac('sha256', key).update(`desk ${purpose} ${text}`).digest('base64url');
}

/** Made by whoever needs it first: the server, or `npm run desk` beside it. */
function keyIn(folder: string): string {
  const file = join(folder, 'desk.key');
  makeFolder(folder);
  try {
    writeFileSync(file, randomBytes(32).toString('base64url'), { flag: 'wx', mode: 0o600 });
    // As SQLite does with its own files: root's would lock the site out.
    const { uid, gid } = statSync(folder);
    if (process.getuid?.() === 0) chownSync(file, uid, gid);
    sync(file);
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
  }
  const key = readFileSync(file, 'utf8');
  if (key.length >= 43) return key;
  // A full disk or a power cut left half of it. Links and devices that it signed are void.
  rmSync(file, { force: true });
  return keyIn(folder);
}
