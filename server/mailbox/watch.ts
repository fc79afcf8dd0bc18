import type { Logger as Log } from 'pino';
import type { Database } from '../messages/database.ts';
import { forget, lastDoneAt, moveNote, noteDone, takeTurn } from '../messages/last-done.ts';
import { isRefusal, type Mailbox, type OpenMailbox, openMailbox } from './connect.ts';
import { lookInto } from './read-mailbox.ts';

/** How often to call `check`. */
export const BEAT_MS = 20_000;
/** Another server takes over when the one that watches hasn't shown for so long. */
const LEASE_MS = 60_000;
/** Between two looks, if the server doesn't tell of a new mail in between. */
const EVERY_MS = 2 * 60_000;
/** A login or a look that takes longer hangs. The library's times are for a server that says nothing at all. */
const LOOK_MS = 90_000;
/** Before a new connection, doubled each time one fails. */
const PAUSES = { first: 10_000, most: 10 * 60_000 };
/** Many mail providers lock an account after repeated wrong passwords. */
const REFUSED_PAUSE_MS = 60 * 60_000;
/** One that lasted so long didn't fail. */
const LASTED_MS = 5 * 60_000;
/** A server that breaks off so often while it's listened to is only asked now and then. */
const MOST_DROPS = 2;
const DAY_MS = 24 * 60 * 60_000;

const LEASE = 'mailbox: watched';
const SWEPT = 'mailbox: swept';
const REFUSED = 'mailbox: login refused';
const FLOODED = 'mailbox: too much sent';

type Options = {
  imapUrl: string;
  database: Database;
  log: Log;
  /** False: mails only go to files, so none is looked for. */
  areMailed: boolean;
  /** The owner's own addresses. */
  own: readonly string[];
  /** Tells the owner. Called once, until a login works again. */
  onRefused: (now: number) => Promise<unknown>;
  /** Tells her that the mail server sends without end. Called once a day at most. */
  onFlood: (now: number) => Promise<unknown>;
  /** Defaults to a connection to `imapUrl`. */
  open?: OpenMailbox | undefined;
};

export type MailboxWatch = ReturnType<typeof watchMailbox>;

/**
 * Watches the owner's mailbox through one connection. Of several servers on a database, one does, and notes so in the
 * database; see `server/messages/last-done.ts`. What's found is written down as it's found, so it does no harm if two of them
 * look for a moment.
 */
export function watchMailbox({
  imapUrl,
  database,
  log,
  areMailed,
  own,
  onRefused,
  onFlood,
  open = openMailbox,
}: Options) {
  const { clock } = database;
  let client: Mailbox | undefined;
  let connectedAt = 0;
  /** When we last said that it's us who watches. */
  let heldAt: number | undefined;
  let dueAt = 0;
  let notBefore = 0;
  let failures = 0;
  let drops = 0;
  const stopNow = new AbortController();
  let checking = Promise.resolve();
  let isQueued = false;

  async function check(now: number): Promise<void> {
    if (stopNow.signal.aborted) return;
    try {
      if (!(await isOurs(now))) return disconnect();
      // A longer wait was set by a clock that has since been corrected.
      if (notBefore > now && notBefore - now <= REFUSED_PAUSE_MS) return;
      if (client?.usable && dueAt <= now + EVERY_MS && dueAt > now) return;
      await look(now);
    } catch (error) {
      await failed(error, now);
    }
  }

  async function isOurs(now: number): Promise<boolean> {
    if (heldAt === undefined) {
      if (!(await takeTurn(database, LEASE, now, LEASE_MS))) return false;
      log.info('this server watches the mailbox');
    } else if (!(await moveNote(database, LEASE, { from: heldAt, to: now }))) {
      heldAt = undefined;
      log.info('another server watches the mailbox');
      return false;
    }
    heldAt = now;
    return true;
  }

  async function look(now: number): Promise<void> {
    const opened = client?.usable ? client : await connect(now);
    if (!opened) return;
    dueAt = now + EVERY_MS;
    const cancelClose = clock.after(LOOK_MS, () => opened.close());
    try {
      const { isSoon, ...seen } = await lookInto(opened, { database, now, areMailed, own });
      if (Object.values(seen).some((count) => count > 0)) log.info(seen, 'news from the mailbox');
      if (isSoon) dueAt = now;
    } finally {
      cancelClose();
    }
    if (now - connectedAt >= LASTED_MS) failures = 0;
  }

  async function connect(now: number): Promise<Mailbox | undefined> {
    disconnect();
    const refusedAt = await lastDoneAt(database, REFUSED);
    if (refusedAt !== undefined && Math.abs(now - refusedAt) < REFUSED_PAUSE_MS) return undefined;
    const late = new AbortController();
    const cancelClose = clock.after(LOOK_MS, () => late.abort());
    const signal = AbortSignal.any([stopNow.signal, late.signal]);
    const listen = drops < MOST_DROPS;
    const opened = await open(imapUrl, { listen, signal, clock, onFlood: flooded }).finally(cancelClose);
    if (refusedAt !== undefined) await forget(database, REFUSED);
    opened.on('close', () => {
      if (client !== opened) return;
      client = undefined;
      if (stopNow.signal.aborted) return;
      const now = clock.now();
      // Most connections are lost while they're listened to, just because that's what they do all day.
      drops = opened.idlingAtClose && now - connectedAt < LASTED_MS ? drops + 1 : 0;
      pause(now);
      log.warn({ waited: opened.idlingAtClose }, 'the mail server closed the connection to the mailbox');
    });
    opened.on('exists', lookNow);
    log.info({ listens: opened.capabilities.has('IDLE') && listen }, 'the mailbox is open');
    client = opened;
    connectedAt = now;
    return client;
  }

  /** A server may tell of new mails without end. */
  function lookNow(): void {
    dueAt = 0;
    if (isQueued) return;
    isQueued = true;
    checking = checking.then(() => {
      isQueued = false;
      return check(clock.now());
    });
  }

  function flooded(): void {
    const now = clock.now();
    pause(now);
    disconnect();
    log.warn(
      'the mail server sends more than one look may take; the connection is closed, and it is tried again',
    );
    checking = checking
      .then(async () => void ((await takeTurn(database, FLOODED, now, DAY_MS)) && (await onFlood(now))))
      .catch((fault) => log.error({ err: fault }, 'the database does not take what the mailbox told'));
  }

  function pause(now: number): void {
    notBefore = now + Math.min(PAUSES.first * 2 ** failures, PAUSES.most);
    failures += 1;
  }

  async function failed(error: unknown, now: number): Promise<void> {
    const isCutShort = client === undefined && notBefore > now;
    disconnect();
    if (stopNow.signal.aborted || isCutShort) return;
    if (!isRefusal(error)) {
      pause(now);
      log.warn({ err: error, failures }, 'the mailbox cannot be read; it is tried again');
      return;
    }
    try {
      const isNews = (await lastDoneAt(database, REFUSED)) === undefined;
      await noteDone(database, REFUSED, now);
      notBefore = now + REFUSED_PAUSE_MS;
      if (isNews) await onRefused(now);
    } catch (fault) {
      pause(now);
      log.error({ err: fault }, 'the database does not take what the mailbox told');
    }
  }

  function disconnect(): void {
    const opened = client;
    client = undefined;
    opened?.close();
  }

  async function release(): Promise<void> {
    disconnect();
    const held = heldAt;
    heldAt = undefined;
    if (held !== undefined) await moveNote(database, LEASE, { from: held, to: 0 }).catch(() => false);
  }

  function run(now: number): Promise<void> {
    checking = checking.then(() => check(now));
    return checking;
  }

  return {
    /** Call every `BEAT_MS`. Does what's due: keeps the lease, connects, looks. Runs never overlap. */
    check: run,
    /** Call at the start: the password may have been corrected. */
    async start(now: number): Promise<void> {
      await forget(database, REFUSED).catch(() => undefined);
      await run(now);
    },
    /** Call when a mail has just gone out. The next check looks where it went. */
    wake(): void {
      dueAt = 0;
    },
    /** For where no connection can stay open: looks once, if nobody has for two minutes, and hangs up. */
    async sweep(now: number): Promise<void> {
      if (!(await takeTurn(database, SWEPT, now, EVERY_MS - BEAT_MS))) return;
      await run(now);
      await release();
    },
    async stop(): Promise<void> {
      stopNow.abort();
      await checking;
      await release();
    },
  };
}
