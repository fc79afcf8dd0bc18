import type { Logger as Log } from 'pino';
import type { Database } from '../messages/database.ts';
import { forget, lastDoneAt, moveNote, noteDone, takeTurn } from '../messages/last-done.ts';
import { isRefusal, type Mailbox, type OpenMailbox, openMailbox } from './connect.ts';
import { lookInto } from './read-mailbox.ts';

/** How often to call `check`. */
export const BEAT_MS = 20_000;
/** How long the server that watches may be silent until another takes over. */
const LEASE_MS = 60_000;
/** Between two looks, if the server doesn't tell of a new mail in between. */
const EVERY_MS = 2 * 60_000;
/** A login or a look that takes longer hangs. The library's times are for a server that says nothing at all. */
const LOOK_MS = 90_000;
/** Before a new connection, doubled each time one fails. */
const PAUSES = { first: 10_000, most: 10 * 60_000 };
/** Many mail providers lock an account after repeated wrong passwords. */
const REFUSED_PAUSE_MS = 60 * 60_000;
/** A connection that lasted this long didn't fail. */
const LASTED_MS = 5 * 60_000;
/** After so many connections lost while listening, the server is only asked now and then. */
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

/** This server's turn to watch, which it notes in the database each time. */
function shareTurn(database: Database, log: Log) {
  /** When we last said that it's us who watches. */
  let heldAt: number | undefined;
  return {
    async isOurs(now: number): Promise<boolean> {
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
    },
    async release(): Promise<void> {
      const held = heldAt;
      heldAt = undefined;
      if (held !== undefined) await moveNote(database, LEASE, { from: held, to: 0 }).catch(() => false);
    },
  };
}

/**
 * Watches the owner's mailbox through one connection. Of several servers on a database, one does, and notes so in the
 * database; see `server/messages/last-done.ts`. What's found is written down as it's found, so it does no harm if two of
 * them look for a moment.
 */
export class MailboxWatch {
  private readonly options: Options;
  private readonly turn: ReturnType<typeof shareTurn>;
  private client: Mailbox | undefined;
  private connectedAt = 0;
  private dueAt = 0;
  private notBefore = 0;
  private failures = 0;
  private drops = 0;
  private readonly stopNow = new AbortController();
  private checking = Promise.resolve();
  private isQueued = false;

  constructor(options: Options) {
    this.options = options;
    this.turn = shareTurn(options.database, options.log);
  }

  /** Call every `BEAT_MS`. Does what's due: keeps the lease, connects, looks. Runs never overlap. */
  check(now: number): Promise<void> {
    this.checking = this.checking.then(() => this.checkNow(now));
    return this.checking;
  }

  /** Call at the start: the password may have been corrected. */
  async start(now: number): Promise<void> {
    await forget(this.options.database, REFUSED).catch(() => undefined);
    await this.check(now);
  }

  /** Call when a mail has just gone out. The next check looks where it went. */
  wake(): void {
    this.dueAt = 0;
  }

  /** For where no connection can stay open: looks once, if nobody has for two minutes, and hangs up. */
  async sweep(now: number): Promise<void> {
    if (!(await takeTurn(this.options.database, SWEPT, now, EVERY_MS - BEAT_MS))) return;
    await this.check(now);
    await this.release();
  }

  async stop(): Promise<void> {
    this.stopNow.abort();
    await this.checking;
    await this.release();
  }

  private async checkNow(now: number): Promise<void> {
    if (this.stopNow.signal.aborted) return;
    try {
      if (!(await this.turn.isOurs(now))) return this.disconnect();
      // A longer wait was set by a clock that has since been corrected.
      if (this.notBefore > now && this.notBefore - now <= REFUSED_PAUSE_MS) return;
      if (this.client?.usable && this.dueAt <= now + EVERY_MS && this.dueAt > now) return;
      await this.look(now);
    } catch (error) {
      await this.failed(error, now);
    }
  }

  private async look(now: number): Promise<void> {
    const { database, areMailed, own, log } = this.options;
    const opened = this.client?.usable ? this.client : await this.connect(now);
    if (!opened) return;
    this.dueAt = now + EVERY_MS;
    const cancelClose = database.clock.after(LOOK_MS, () => opened.close());
    try {
      const { isSoon, ...seen } = await lookInto(opened, { database, now, areMailed, own });
      if (Object.values(seen).some((count) => count > 0)) log.info(seen, 'news from the mailbox');
      if (isSoon) this.dueAt = now;
    } finally {
      cancelClose();
    }
    if (now - this.connectedAt >= LASTED_MS) this.failures = 0;
  }

  private async connect(now: number): Promise<Mailbox | undefined> {
    const { imapUrl, database, log, open = openMailbox } = this.options;
    const { clock } = database;
    this.disconnect();
    const refusedAt = await lastDoneAt(database, REFUSED);
    if (refusedAt !== undefined && Math.abs(now - refusedAt) < REFUSED_PAUSE_MS) return undefined;
    const late = new AbortController();
    const cancelClose = clock.after(LOOK_MS, () => late.abort());
    const signal = AbortSignal.any([this.stopNow.signal, late.signal]);
    const listen = this.drops < MOST_DROPS;
    const onFlood = () => this.flooded();
    const opened = await open(imapUrl, { listen, signal, clock, onFlood }).finally(cancelClose);
    if (refusedAt !== undefined) await forget(database, REFUSED);
    opened.on('close', () => this.lost(opened));
    opened.on('exists', () => this.lookSoon());
    log.info({ listens: opened.capabilities.has('IDLE') && listen }, 'the mailbox is open');
    this.client = opened;
    this.connectedAt = now;
    return opened;
  }

  private lost(opened: Mailbox): void {
    if (this.client !== opened) return;
    this.client = undefined;
    if (this.stopNow.signal.aborted) return;
    const { database, log } = this.options;
    const now = database.clock.now();
    // Most connections are lost while they're listened to, just because that's what they do all day.
    this.drops = opened.idlingAtClose && now - this.connectedAt < LASTED_MS ? this.drops + 1 : 0;
    this.pause(now);
    log.warn({ waited: opened.idlingAtClose }, 'the mail server closed the connection to the mailbox');
  }

  /** A server may tell of new mails without end. */
  private lookSoon(): void {
    this.dueAt = 0;
    if (this.isQueued) return;
    this.isQueued = true;
    this.checking = this.checking.then(() => {
      this.isQueued = false;
      return this.checkNow(this.options.database.clock.now());
    });
  }

  private flooded(): void {
    const { database, log, onFlood } = this.options;
    const now = database.clock.now();
    this.pause(now);
    this.disconnect();
    log.warn(
      'the mail server sends more than one look may take; the connection is closed, and it is tried again',
    );
    this.checking = this.checking
      .then(async () => void ((await takeTurn(database, FLOODED, now, DAY_MS)) && (await onFlood(now))))
      .catch((fault) => log.error({ err: fault }, 'the database does not take what the mailbox told'));
  }

  private pause(now: number): void {
    this.notBefore = now + Math.min(PAUSES.first * 2 ** this.failures, PAUSES.most);
    this.failures += 1;
  }

  private async failed(error: unknown, now: number): Promise<void> {
    const { database, log, onRefused } = this.options;
    const isCutShort = this.client === undefined && this.notBefore > now;
    this.disconnect();
    if (this.stopNow.signal.aborted || isCutShort) return;
    if (!isRefusal(error)) {
      this.pause(now);
      log.warn({ err: error, failures: this.failures }, 'the mailbox cannot be read; it is tried again');
      return;
    }
    try {
      const isNews = (await lastDoneAt(database, REFUSED)) === undefined;
      await noteDone(database, REFUSED, now);
      this.notBefore = now + REFUSED_PAUSE_MS;
      if (isNews) await onRefused(now);
    } catch (fault) {
      this.pause(now);
      log.error({ err: fault }, 'the database does not take what the mailbox told');
    }
  }

  private disconnect(): void {
    const opened = this.client;
    this.client = undefined;
    opened?.close();
  }

  private async release(): Promise<void> {
    this.disconnect();
    await this.turn.release();
  }
}
