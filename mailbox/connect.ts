import type { ImapFlow, ListResponse } from 'imapflow';
import type { FolderRole } from '../messages/mail-places.ts';
import { isThisMachine } from '../settings/near.ts';

/** In milliseconds. The last one is for a server that goes silent while it's asked something. */
const TIMEOUTS = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 60_000 };
/** How soon after the last command it listens for new mails (IDLE). */
const LISTEN_AFTER_MS = 200;

/** What's asked of a connection. */
export type Mailbox = Pick<
  ImapFlow,
  'capabilities' | 'close' | 'fetchAll' | 'idlingAtClose' | 'list' | 'mailboxOpen' | 'search' | 'usable'
> & { on(event: 'close' | 'exists', listener: () => void): unknown };
export type OpenMailbox = (
  imapUrl: string,
  how: { listen: boolean; signal: AbortSignal },
) => Promise<Mailbox>;

/**
 * Logs in.
 *
 * @param listen whether to have the server tell of new mails in the open folder
 * @param signal closes the connection
 * @throws an error with `authenticationFailed` if the server refuses the login; see `isRefusal`
 */
export async function openMailbox(
  imapUrl: string,
  { listen, signal }: { listen: boolean; signal: AbortSignal },
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
