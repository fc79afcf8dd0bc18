import { Buffer } from 'node:buffer';
import { EventEmitter } from 'node:events';
import type {
  FetchMessageObject,
  FetchQueryObject,
  ListResponse,
  MailboxObject,
  MessageRange,
  SearchObject,
} from 'imapflow';
import type { Mail } from '../../mail/mail.ts';
import type { Mailbox, OpenMailbox } from '../../mailbox/connect.ts';
import type { Process, World } from './world.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const DAY = 24 * 60 * MINUTE;
/** As in mailbox/connect.ts, which tells the library. */
const TIMEOUTS = { connection: 10 * SECOND, socket: 60 * SECOND };
/** How soon a server tells of a new mail. */
const TELLS_MS = 250;

type Fault = { code?: string; authenticationFailed?: true; serverResponseCode?: string };
type Behaviour = {
  /** How long each command takes. */
  ms: number;
  /** What a login comes to. */
  login?: Fault;
  /** What becomes of commands: never answered, answered NO, or answered until the connection is lost in the middle. */
  commands?: 'silent' | 'endless' | 'no' | 'cut';
  /** Those who are connected lose their connection now. */
  drops?: true;
};

/** Everything that a mail server does to those who look into a mailbox. */
export const MAILBOX_BEHAVIOURS = {
  fine: { ms: 20 },
  slow: { ms: 2 * SECOND },
  'nobody there': { ms: 20, login: { code: 'ECONNREFUSED' }, drops: true },
  'login refused': {
    ms: 200,
    login: { authenticationFailed: true, serverResponseCode: 'AUTHENTICATIONFAILED' },
    drops: true,
  },
  'login later': {
    ms: 200,
    login: { authenticationFailed: true, serverResponseCode: 'UNAVAILABLE' },
    drops: true,
  },
  /** Nothing comes. The library gives up. */
  silent: { ms: 20, commands: 'silent' },
  /** Something comes all the time, but never what's asked for. */
  endless: { ms: 20, commands: 'endless' },
  'cut in the middle of mails': { ms: 20, commands: 'cut' },
  'searches refused': { ms: 20, commands: 'no' },
} as const satisfies Record<string, Behaviour>;
export type MailboxBehaviour = keyof typeof MAILBOX_BEHAVIOURS;

/** Where a mail goes that the mail server took, and how long that takes. */
const LANDS = {
  INBOX: [['INBOX', 100]],
  Junk: [['Junk', 100]],
  Clients: [['Clients', 100]],
  nowhere: [],
  'late in INBOX': [['INBOX', 20 * MINUTE]],
  'late in Clients': [['Clients', 20 * MINUTE]],
  'INBOX, and again in Junk': [
    ['INBOX', 100],
    ['Junk', 2 * MINUTE],
  ],
} as const satisfies Record<string, readonly (readonly [Path, number])[]>;
export type Landing = keyof typeof LANDS;
export const LANDINGS = Object.keys(LANDS) as Landing[];

const USES = {
  INBOX: '\\Inbox',
  Junk: '\\Junk',
  Sent: '\\Sent',
  Clients: undefined,
  Trash: '\\Trash',
} as const;
export type Path = keyof typeof USES;

/** A mail's copy in a folder. */
type Copy = { uid: number; at: number; isRead: boolean } & Content;
type Content = {
  headers: Record<string, string>;
  to: string;
  subject: string;
  date: Date;
};
type Folder = { path: Path; uidValidity: bigint; uidNext: number; copies: Copy[] };

/** From when until when a mail lay in a folder, and how it came there. */
export type Stay = { path: Path; from: number; until: number; how: 'came' | 'moved' };
export type Answer = { at: number; to: string; inReplyTo: string; isForward: boolean };

export type SimulatedMailbox = ReturnType<typeof createMailbox>;

/** The owner's mailbox: the mail server delivers into it, her mail program changes it, and the servers look into it. */
export function createMailbox(world: World) {
  const folders = (Object.keys(USES) as Path[]).map(
    (path): Folder => ({ path, uidValidity: 1n, uidNext: 1, copies: [] }),
  );
  const folderOf = (path: Path) => folders.find((folder) => folder.path === path) as Folder;
  const stays = new Map<string, Stay[]>();
  const answers: Answer[] = [];
  const connections = new Set<Connection>();
  const network: Process = { name: 'mailbox', bornAt: 0, isDead: false, frozenUntil: 0 };
  let behaviour: MailboxBehaviour = 'fine';
  let landing: Landing | 'any' = 'INBOX';
  let canListen = true;
  /** Since when it's been fine, and when it last refused a password or was built anew. */
  const times = { fine: world.now(), refused: -Infinity, rebuilt: -Infinity };

  const current = (): Behaviour => MAILBOX_BEHAVIOURS[behaviour];

  function put(path: Path, content: Content, how: Stay['how'], isRead = false): void {
    const folder = folderOf(path);
    const id = content.headers['message-id'] ?? '';
    folder.copies.push({ ...content, uid: folder.uidNext, at: world.now(), isRead });
    folder.uidNext += 1;
    stays.set(id, [...(stays.get(id) ?? []), { path, from: world.now(), until: Infinity, how }]);
    world.note(`${path} has ${id || content.subject}`);
    for (const connection of connections) connection.tell(path);
  }

  function takeOut(path: Path, copy: Copy): void {
    const folder = folderOf(path);
    folder.copies = folder.copies.filter((each) => each !== copy);
    const all = stays.get(copy.headers['message-id'] ?? '') ?? [];
    const stay = all.find((each) => each.path === path && each.until === Infinity);
    if (stay) stay.until = world.now();
  }

  class Connection extends EventEmitter implements Mailbox {
    usable = true;
    idlingAtClose = false;
    capabilities = new Map(canListen ? [['IDLE', true]] : []);
    readonly process: Process;
    readonly listens: boolean;
    #selected: Folder | undefined;
    readonly #asked = new Set<(error: Error) => void>();

    constructor(process: Process, listen: boolean) {
      super();
      this.process = process;
      this.listens = listen && canListen;
      connections.add(this);
    }

    list(): Promise<ListResponse[]> {
      return this.#ask(() =>
        folders.map(({ path }) => ({
          path,
          pathAsListed: path,
          name: path,
          delimiter: '/',
          parent: [],
          parentPath: '',
          flags: new Set<string>(),
          specialUse: USES[path],
          listed: true,
          subscribed: true,
        })),
      );
    }

    mailboxOpen(
      path: string | string[],
      options?: { readOnly?: boolean | undefined },
    ): Promise<MailboxObject> {
      if (options?.readOnly !== true) throw new Error('her folders are only read');
      return this.#ask(() => {
        this.#selected = folders.find((folder) => folder.path === path);
        if (!this.#selected) throw Object.assign(new Error('Command failed'), { responseStatus: 'NO' });
        const { uidValidity, uidNext, copies } = this.#selected;
        return {
          path: this.#selected.path,
          delimiter: '/',
          flags: new Set(),
          uidValidity,
          uidNext,
          exists: copies.length,
        };
      });
    }

    /** As the library, which gives `false` when the server says NO. */
    search({ since, or }: SearchObject): Promise<number[] | false> {
      if (current().commands === 'no') return this.#ask(() => false as const);
      const ids = or?.map(({ header }) => String(header?.['message-id']));
      const day = Math.floor(new Date(since ?? 0).getTime() / DAY) * DAY;
      return this.#ask(() =>
        this.#open()
          .copies.filter(({ at }) => at >= day)
          .filter(({ headers }) => ids?.some((id) => headers['message-id']?.includes(id)) ?? true)
          .map(({ uid }) => uid),
      );
    }

    fetchAll(range: MessageRange, query: FetchQueryObject): Promise<FetchMessageObject[]> {
      if (current().commands === 'cut') return this.#ask(() => this.lose());
      return this.#ask(() => {
        const { copies } = this.#open();
        const from = typeof range === 'string' ? Number.parseInt(range, 10) : undefined;
        const isAsked = ({ uid }: Copy): boolean =>
          from === undefined
            ? Array.isArray(range) && range.includes(uid)
            : uid >= from || uid === copies.at(-1)?.uid;
        return copies.filter(isAsked).map((copy, index) => show(copy, index, query));
      });
    }

    close(): void {
      this.#end(new Error('Connection not available'));
    }

    /** The server, or the network, ends it. */
    lose(): never {
      this.idlingAtClose = this.#asked.size === 0 && this.listens;
      const error = Object.assign(new Error('Connection not available'), { code: 'NoConnection' });
      this.#end(error);
      throw error;
    }

    /** Its process has crashed: nobody hears of it. */
    vanish(): void {
      this.usable = false;
      connections.delete(this);
    }

    tell(path: Path): void {
      if (!this.listens || this.#selected?.path !== path || current().commands) return;
      world.after(this.process, TELLS_MS, () => {
        if (this.usable && this.#selected?.path === path) this.emit('exists');
      });
    }

    #open(): Folder {
      if (!this.#selected) throw new Error('no folder is open');
      return this.#selected;
    }

    #end(error: Error): void {
      if (!this.usable) return;
      this.usable = false;
      connections.delete(this);
      for (const reject of this.#asked) reject(error);
      this.#asked.clear();
      this.emit('close');
    }

    #ask<T>(answer: () => T): Promise<T> {
      return new Promise((resolve, reject) => {
        if (!this.usable) {
          reject(Object.assign(new Error('Connection not available'), { code: 'NoConnection' }));
          return;
        }
        this.#asked.add(reject);
        const { ms, commands } = current();
        if (commands === 'endless') return;
        const isSilent = commands === 'silent';
        world.after(this.process, isSilent ? TIMEOUTS.socket : took(ms), () => {
          if (!this.#asked.delete(reject)) return;
          try {
            resolve(isSilent ? this.lose() : answer());
          } catch (error) {
            reject(error);
          }
        });
      });
    }
  }

  const took = (ms: number): number => Math.ceil(ms * (0.5 + world.random()));

  function openerOf(process: Process): OpenMailbox {
    return (_, { listen, signal }) =>
      new Promise((resolve, reject) => {
        const { ms, login, commands } = current();
        const connection = new Connection(process, listen);
        const close = () => connection.close();
        const fail = (fault: Fault): void => {
          close();
          reject(Object.assign(new Error('the mailbox'), fault));
        };
        connection.on('close', () => {
          signal.removeEventListener('abort', close);
          reject(Object.assign(new Error('Connection not available'), { code: 'NoConnection' }));
        });
        signal.addEventListener('abort', close);
        if (signal.aborted) return close();
        if (commands === 'endless') return;
        if (commands === 'silent')
          return void world.after(process, TIMEOUTS.connection, () => fail({ code: 'GREETING_TIMEOUT' }));
        world.after(process, took(ms), () => {
          if (login?.authenticationFailed && login.serverResponseCode === 'AUTHENTICATIONFAILED')
            times.refused = world.now();
          if (login) fail(login);
          else resolve(connection);
        });
      });
  }

  return {
    openerOf,
    stays: (messageId: string): readonly Stay[] => stays.get(messageId) ?? [],
    answers: answers as readonly Answer[],
    times: times as Readonly<typeof times>,
    /** Whether the server tells the one who looks of new mails. */
    isListenedTo: () => [...connections].some(({ listens }) => listens),
    /** Whose connections are open. */
    open: () => [...connections].map(({ process }) => process),
    vanish(process: Process): void {
      for (const connection of connections) if (connection.process === process) connection.vanish();
    },
    behave(name: MailboxBehaviour): void {
      if (name === behaviour) return;
      behaviour = name;
      times.fine = name === 'fine' ? world.now() : Infinity;
      world.note(`from now on, the mailbox is: ${name}`);
      if ('drops' in MAILBOX_BEHAVIOURS[name]) loseAll();
    },
    /** Whether it tells of new mails (IDLE). */
    listen(can: boolean): void {
      if (can === canListen) return;
      canListen = can;
      times.fine = Math.max(times.fine, world.now());
      world.note(`the mailbox ${can ? 'tells' : "doesn't tell"} of new mails`);
      loseAll();
    },
    lose: loseAll,
    land(where: Landing | 'any'): void {
      landing = where;
      world.note(`from now on, mails land: ${where}`);
    },
    /** The mail server has taken it. */
    deliver({ messageId, to, subject }: Mail): void {
      const pick =
        landing === 'any' ? (LANDINGS[Math.floor(world.random() * LANDINGS.length)] ?? 'INBOX') : landing;
      const headers = { 'message-id': messageId, 'auto-submitted': 'auto-generated' };
      const content = { headers, to: to.address, subject, date: new Date(world.now()) };
      for (const [path, ms] of LANDS[pick]) world.after(network, took(ms), () => put(path, content, 'came'));
    },
    /** In her mail program. The copy of what she sends goes to Sent. */
    answer({ to, inReplyTo }: { to: string; inReplyTo: string }, kind: 'reply' | 'mail' | 'forward'): void {
      const isForward = kind === 'forward';
      const sentTo = isForward ? 'partner@example.net' : to;
      const named = kind === 'mail' ? '' : inReplyTo;
      answers.push({ at: world.now(), to: sentTo, inReplyTo: named, isForward });
      const content = {
        headers: { 'in-reply-to': named, references: named },
        to: sentTo,
        subject: { forward: 'Fwd: a lead', mail: 'Your stock', reply: 'Re: a lead' }[kind],
        date: new Date(world.now()),
      };
      put('Sent', content, 'came', true);
    },
    /** In her mail program, or by a filter. Whether there was anything to move. */
    move(messageId: string, to: Path, isRead: boolean): boolean {
      for (const { path, copies } of folders) {
        const copy = copies.find(({ headers }) => headers['message-id'] === messageId);
        if (!copy || path === to || path === 'Sent') continue;
        takeOut(path, copy);
        put(to, copy, 'moved', isRead || copy.isRead);
        return true;
      }
      return false;
    },
    /** Her provider moves to another machine: every mail has another number. */
    rebuild(): void {
      times.rebuilt = world.now();
      for (const folder of folders) {
        folder.uidValidity += 1n;
        folder.copies = folder.copies.map((copy, index) => ({ ...copy, uid: index + 1 }));
        folder.uidNext = folder.copies.length + 1;
      }
      world.note('the mailbox is built anew');
      loseAll();
    },
  };

  function loseAll(): void {
    for (const connection of connections)
      world.after(connection.process, 0, () => {
        try {
          connection.lose();
        } catch {
          // It's said to whoever asked something.
        }
      });
  }
}

function show(
  { uid, at, isRead, headers, to, subject, date }: Copy,
  index: number,
  query: FetchQueryObject,
): FetchMessageObject {
  const wanted = Array.isArray(query.headers) ? query.headers : [];
  const lines = wanted.flatMap((name) =>
    headers[name] === undefined ? [] : `${name}: ${headers[name]}\r\n`,
  );
  return {
    seq: index + 1,
    uid,
    headers: Buffer.from(lines.join('')),
    ...(query.flags && { flags: new Set(isRead ? ['\\Seen'] : []) }),
    ...(query.internalDate && { internalDate: new Date(at) }),
    ...(query.envelope && { envelope: { date, subject, to: [{ address: to, name: '' }] } }),
  };
}
