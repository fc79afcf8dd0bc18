import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { DAY, HOUR } from '../../contract/time.ts';
import type { Database } from '../../server/messages/database.ts';
import { AHEAD_MS } from './links.ts';

/** How long a device stays let in: after it last asked for a page, and at most after it opened a link. */
const IDLE_MS = 90 * DAY;
export const LONGEST_MS = 365 * DAY;
/** How long after its link a device may do what needs a fresh one. */
const FRESH_MS = HOUR;
const NOTED_EVERY_MS = HOUR;

type DeviceTable = {
  id: string;
  cookie_hash: string;
  name: string;
  made_at: number;
  used_at: number;
  ended_at: number | null;
};

/** Once let in, a device is known for good: strangers don't slow it down. */
export type Device = DeviceTable & { isIn: boolean; isFresh: boolean };

const hashOf = (cookie: string) => createHash('sha256').update(cookie).digest('hex');

export function openDevices(database: Database) {
  const db = database.db.withTables<{ desk_device: DeviceTable }>();

  function toDevice(row: DeviceTable, now: number): Device {
    const isRecent = row.used_at > now - IDLE_MS && row.made_at > now - LONGEST_MS;
    const isFresh = row.made_at > now - FRESH_MS && row.made_at <= now + AHEAD_MS;
    return { ...row, isIn: isRecent && row.ended_at === null, isFresh };
  }

  const ended = (now: number) =>
    db.updateTable('desk_device').set({ ended_at: now }).where('ended_at', 'is', null);

  return {
    async find(cookie: string, now: number): Promise<Device | undefined> {
      const rows = db.selectFrom('desk_device').selectAll().where('cookie_hash', '=', hashOf(cookie));
      const row = await rows.executeTakeFirst();
      return row && toDevice(row, now);
    },

    /** A full disk keeps nobody out. */
    async noteSeen({ id, used_at }: Device, now: number): Promise<void> {
      if (used_at > now - NOTED_EVERY_MS) return;
      const seen = db.updateTable('desk_device').set({ used_at: now }).where('id', '=', id);
      await database.write(seen).catch(() => undefined);
    },

    /** Always with a new cookie, which only the browser that opens the link can know: another one opens nothing. */
    async letIn(known: Device | undefined, name: string, now: number, given?: string) {
      const cookie = given ?? randomBytes(32).toString('base64url');
      const id = known?.id ?? randomUUID();
      const row = { id, cookie_hash: hashOf(cookie), name, made_at: now, used_at: now, ended_at: null };
      const again = db.updateTable('desk_device').set(row).where('id', '=', id);
      await database.write(known ? again : db.insertInto('desk_device').values(row));
      return { cookie, id };
    },

    async list(now: number): Promise<Device[]> {
      const rows = await db.selectFrom('desk_device').selectAll().orderBy('used_at', 'desc').execute();
      return rows.map((row) => toDevice(row, now)).filter(({ isIn }) => isIn);
    },
    signOut: (id: string, now: number) => database.write(ended(now).where('id', '=', id)),
    signOutOthers: (id: string, now: number) => database.write(ended(now).where('id', '<>', id)),
  };
}

const BROWSERS = [
  ['Edge', /\bEdg(?:e|A|iOS)?\//],
  ['Opera', /\bOPR\//],
  ['Samsung Internet', /\bSamsungBrowser\//],
  ['Firefox', /\b(?:Firefox|FxiOS)\//],
  ['Chrome', /\b(?:Chrome|CriOS)\//],
  ['Safari', /\bSafari\//],
] as const;
const SYSTEMS = [
  ['an iPhone', /\biPhone\b/],
  ['an iPad', /\biPad\b/],
  ['Android', /\bAndroid\b/],
  ['Windows', /\bWindows\b/],
  ['a Mac', /\bMacintosh\b/],
  ['ChromeOS', /\bCrOS\b/],
  ['Linux', /\bLinux\b/],
] as const;

/** “Firefox on Windows”. Never the header's own words, which can be anything. */
export function deviceName(userAgent = ''): string {
  const first = (known: typeof BROWSERS | typeof SYSTEMS) =>
    known.find(([, pattern]) => pattern.test(userAgent))?.[0];
  return `${first(BROWSERS) ?? 'A browser'} on ${first(SYSTEMS) ?? 'some device'}`;
}
