import type { Buffer } from 'node:buffer';
import * as net from 'node:net';
import * as tls from 'node:tls';
import type { ImapFlow, ImapFlowOptions, ListResponse } from 'imapflow';
import { isThisMachine } from '../../settings/near.ts';
import type { Clock } from '../clock.ts';
import type { FolderRole } from '../messages/mail-places.ts';

/** In milliseconds. The last one is for a server that goes silent while it's asked something. */
const TIMEOUTS = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 60_000 };
/**
 * What a mail server may send in that time. A look at a thousand mails takes about two megabytes. Lines are counted
 * too, since a short one takes far more memory than it has bytes.
 */
const MOST = { bytes: 8_000_000, lines: 30_000, withinMs: 2 * 60_000 };
/** The parts of one answer, such as a list within a list. */
const MOST_TOKENS = 100_000;
/** How soon after the last command it listens for new mails (IDLE). */
const LISTEN_AFTER_MS = 200;

/** What's asked of a connection. */
export type Mailbox = Pick<
  ImapFlow,
  'capabilities' | 'close' | 'fetchAll' | 'idlingAtClose' | 'list' | 'mailboxOpen' | 'search' | 'usable'
> & { on(event: 'close' | 'exists', listener: () => void): unknown };
export type OpenMailbox = (imapUrl: string, how: How) => Promise<Mailbox>;

type How = {
  /** Whether to have the server tell of new mails in the open folder. */
  listen: boolean;
  /** Closes the connection. */
  signal: AbortSignal;
  clock: Clock;
  /** The server sends without end. The connection is closed, and what's under way fails. */
  onFlood: () => void;
};

/**
 * Logs in.
 *
 * @throws an error with `authenticationFailed` if the server refuses the login; see `isRefusal`
 */
export async function openMailbox(
  imapUrl: string,
  { listen, signal, clock, onFlood }: How,
): Promise<ImapFlow> {
  // Most sites have no IMAP_URL.
  const { ImapFlow } = await import('imapflow');
  const { protocol, hostname, port, username, password } = new URL(imapUrl);
  const secure = protocol === 'imaps:';
  const client = new ImapFlow({
    host: hostname.replace(/^\[|\]$/g, ''),
    port: Number(port) || (secure ? 993 : 143),
    secure,
    // A man in the middle can take STARTTLS out of the server's offer; the password must not follow in the clear.
    ...(!secure && !isThisMachine(hostname) && { doSTARTTLS: true }),
    auth: { user: decodeURIComponent(username), pass: decodeURIComponent(password) },
    // Its lines have folder names and headers.
    logger: false,
    disableAutoIdle: !listen,
    autoIdleDelay: LISTEN_AFTER_MS,
    // What's counted is what it unpacks to.
    disableCompression: true,
    maxResponseTokens: MOST_TOKENS,
    transport: countingTransport(clock, () => {
      onFlood();
      close();
    }),
    ...TIMEOUTS,
  });
  // Every failure also rejects a call, or closes the connection.
  client.on('error', () => undefined);
  const close = () => client.close();
  signal.addEventListener('abort', close);
  client.on('close', () => signal.removeEventListener('abort', close));
  try {
    await client.connect();
  } catch (error) {
    close();
    throw error;
  }
  return client;
}

/** As the library connects by itself, but counts what the server sends. */
function countingTransport(clock: Clock, onFlood: () => void): NonNullable<ImapFlowOptions['transport']> {
  let since = clock.ticks();
  let bytes = 0;
  let lines = 0;
  let isOver = false;
  const count = (chunk: Buffer) => {
    if (clock.ticks() - since > MOST.withinMs) {
      since = clock.ticks();
      bytes = 0;
      lines = 0;
    }
    bytes += chunk.length;
    for (let end = chunk.indexOf('\n'); end !== -1; end = chunk.indexOf('\n', end + 1)) lines += 1;
    if (isOver || (bytes <= MOST.bytes && lines <= MOST.lines)) return;
    isOver = true;
    onFlood();
  };
  return {
    connect({ secure, ...where }, onConnect) {
      const ready = () => {
        onConnect();
        // Not before the library reads it: this would have the first words pass it by.
        socket.on('data', count);
      };
      const socket = secure ? tls.connect(where, ready) : net.connect(where, ready);
      return socket;
    },
    upgrade(plain, where, onSecure) {
      plain.off('data', count);
      const socket = tls.connect({ ...where, socket: plain }, () => {
        onSecure();
        socket.on('data', count);
      });
      return socket;
    },
  };
}

/** Servers also refuse a login when they're overloaded or have had too many. */
const PASSING = ['UNAVAILABLE', 'INUSE', 'LIMIT', 'SERVERBUG'];

/** Whether the user name or password is wrong, so that trying again is of no use. */
export function isRefusal(error: unknown): boolean {
  if (!(error instanceof Error) || !('authenticationFailed' in error)) return false;
  const code = 'serverResponseCode' in error ? String(error.serverResponseCode) : '';
  return error.authenticationFailed === true && !PASSING.includes(code);
}

export type Folders = { paths: Partial<Record<FolderRole, string>>; others: string[] };

/** By the server's special-use flags (RFC 6154), or else by names that mail programs use in some 70 languages. */
export async function findFolders(client: Pick<Mailbox, 'list'>): Promise<Folders> {
  const all = await client.list();
  const open = all.filter(({ flags }) => !flags.has('\\Noselect') && !flags.has('\\NonExistent'));
  const named = (use: string) => open.find(({ specialUse }) => specialUse === use)?.path;
  const paths = { inbox: named('\\Inbox'), junk: named('\\Junk'), sent: named('\\Sent') };
  const isOther = ({ path, specialUse = '' }: ListResponse) =>
    !Object.values(paths).includes(path) && specialUse !== '\\Drafts';
  const others = open.filter(isOther).map(({ path }) => path);
  const roles = Object.entries(paths).filter(([, path]) => path !== undefined);
  return { paths: Object.fromEntries(roles), others };
}
