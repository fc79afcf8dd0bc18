import { spawn } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import { mkdir, mkdtemp } from 'node:fs/promises';
import { isIP } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { TELL_PARENT } from '../../build/build.ts';
import { isExample } from '../../build/placeholders.ts';
import { withProgress } from '../../build/progress.mjs';
import { isStale } from '../../build/stale.ts';
import { backUp } from '../../server/messages/copy.ts';
import { countMessages } from '../../server/messages/counts.ts';
import { openDatabase } from '../../server/messages/open.ts';
import { loadEnv, PROJECT_ROOT, readSettings, type Settings } from '../../settings/settings.ts';
import { unpack } from '../archive.ts';
import { DESK_CONNECTION } from '../desk.ts';
import { EXIT, explain, Failed, WrongUsage } from '../failures.ts';
import { MESSAGES, mostBytes } from '../kept.ts';
import { discardLeftovers, withCleanup } from '../output-file.ts';
import { count } from '../terminal.ts';
import { ask, askFor, yes } from './ask.ts';
import { addressesOf, answersWithin, isOpen, twinOf, whatToSet } from './domain.ts';
import { fetchMine } from './fetch-mine.ts';
import { type Look, letIn, lookAt } from './let-in.ts';
import { packRelease, report, sendRelease } from './release.ts';
import { onServer } from './ssh.ts';

const HELP = `npm run online               puts the site on your server, or what's new since then
npm run online -- --list     says what each release changed, newest first
npm run online -- --undo     puts the release before this one online again
npm run online -- --fetch SERVER
                             brings your words, photo and settings from a server to this computer

With the first: --messages FILE brings a backup's messages to a server that has none,
--yes asks nothing, --dns-server ADDRESS asks that DNS server about the domain.
`;

const CERTIFICATE_MS = 90_000;
const DNS_LOOK_MS = 15_000;

const OPTIONS = {
  undo: { type: 'boolean' },
  list: { type: 'boolean' },
  yes: { type: 'boolean' },
  fetch: { type: 'string' },
  messages: { type: 'string' },
  'dns-server': { type: 'string' },
  [TELL_PARENT.slice(2)]: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const;

type Server = Settings['server'] & {};

function say(line: string): void {
  console.log(line);
  process.send?.(line);
}

try {
  await main();
} catch (error) {
  console.error(`\n${explain(error)}`);
  process.exitCode = error instanceof WrongUsage ? EXIT.usage : EXIT.failed;
}
// Or an open question, and the channel to the desk, would keep it.
process.exit();

async function main(): Promise<void> {
  const options = readOptions();
  if (options.help) return console.log(HELP);
  if (options.fetch) return fetchMine(options.fetch, say);
  const { server } = readSettings(loadEnv());
  if (server && (options.list || options.undo)) return onlyAsk(server, options.undo ? 'undo' : 'list');
  await publish(options);
}

function readOptions() {
  try {
    return parseArgs({ options: OPTIONS }).values;
  } catch (error) {
    throw new WrongUsage(`${error instanceof Error ? error.message : error}\n\n${HELP}`);
  }
}

async function onlyAsk(server: Server, what: 'undo' | 'list'): Promise<void> {
  const child = onServer(server, what, { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = new Promise<number>((resolve) => child.once('close', (code) => resolve(code ?? 1)));
  await report(child, say);
  if ((await ended) !== 0) throw new Failed('The server didn’t do it.');
  if (what === 'undo')
    say('Your words and settings on this computer stay as they are: npm run online puts them online again.');
}

async function publish(options: ReturnType<typeof readOptions>): Promise<void> {
  const isAsked = !options.yes;
  const settings = await missing(isAsked);
  const { server } = settings;
  if (!server) throw new Failed('SERVER isn’t set. Run npm run online in a terminal, which asks for it.');
  await letIn(server, isAsked);
  const look = await lookAt(server);
  const domains = await domainsOf(settings, look, options['dns-server'], isAsked);
  const messages = await whichMessages(settings, look, options.messages, isAsked);
  for (const line of plan(settings, look, domains, messages?.said)) say(line);
  if (isAsked && !(await yes('Go on?'))) throw new Failed('Nothing was changed.');
  if (await isStale(settings)) await build();
  await discardLeftovers(tmpdir(), /^online-(\d+)-/);
  const folder = await mkdtemp(join(tmpdir(), `online-${process.pid}-`));
  await withCleanup(
    () => rmSync(folder, { recursive: true, force: true }),
    async () => {
      const file = await messages?.make(join(folder, 'arrived'));
      const release = join(folder, 'release');
      await packRelease(release, settings, { domains, messages: file });
      say(`Sending it to ${server.host} …`);
      await sendRelease(release, server, say);
    },
  );
  await checkReachable(server, domains);
}

/** Asks for what isn't set yet, and writes it to `.env`. */
async function missing(isAsked: boolean): Promise<Settings> {
  const env = loadEnv();
  const settings = readSettings(env);
  if (settings.database.engine === 'postgres' || settings.supabaseUrl)
    throw new Failed(
      'The messages are in Postgres or Supabase (DATABASE_URL, VITE_SUPABASE_URL), and this keeps them in a file on the server. docs/deploy.md has the other ways.',
    );
  if (isAsked) {
    await askFor(
      'SERVER',
      'Your server’s address, as your provider shows it (such as 203.0.113.5)',
      env.SERVER,
    );
    await askFor(
      'SITE_URL',
      'Your domain (such as www.example.com; empty if you have none yet)',
      env.SITE_URL,
    );
    await askFor('CONTACT_EMAIL', 'Your e-mail address, for the page and for messages', env.CONTACT_EMAIL);
  }
  // The server's clock runs in another zone.
  await askFor('TIME_ZONE', undefined, env.TIME_ZONE ?? settings.timeZone);
  const asked = readSettings(loadEnv());
  if (asked.siteUrl && !asked.siteUrl.startsWith('https:'))
    throw new Failed('SITE_URL must begin with https://, since the server gets a certificate.');
  if (isExample(asked.contactEmail.split('@')[1] ?? ''))
    throw new Failed(
      'CONTACT_EMAIL is only an example. Put your own address in under Settings: npm run desk',
    );
  if (asked.mail.via === 'folder')
    say(
      'Note: without a mail server, messages stay on the server and no mail comes to you. Set it under Settings: npm run desk',
    );
  return asked;
}

/** The domains that lead to the server. She sets those that don't, waits, or goes on without a certificate. */
async function domainsOf(
  { siteUrl, server }: Settings,
  look: Look,
  dnsServer: string | undefined,
  isAsked: boolean,
): Promise<string[]> {
  if (!siteUrl || !server) return [];
  const host = new URL(siteUrl).hostname;
  const typed = isIP(server.host) ? [server.host] : await addressesOf(server.host, dnsServer);
  const addresses = [...typed, ...look.addresses];
  for (let isTold = false; ; isTold = true) {
    const todo = await whatToSet(host, addresses, dnsServer);
    if (!todo) break;
    // A certificate that's there isn't given up because DNS didn't answer.
    if (look.domain === host) return look.domains;
    if (!isTold) say(`\n${todo}\n`);
    const answer = isAsked ? await ask('[w]ait for it, or [g]o on without a certificate for now?', 'w') : 'g';
    if (answer.startsWith('g')) return [];
    say('Waiting; Ctrl+C stops, and npm run online goes on later …');
    while (await whatToSet(host, addresses, dnsServer))
      await new Promise((resolve) => setTimeout(resolve, DNS_LOOK_MS));
  }
  const twin = twinOf(host);
  return (await whatToSet(twin, addresses, dnsServer)) ? [host] : [host, twin];
}

/** The messages to bring along to a server that has none, and how a copy of them is made. */
async function whichMessages({ database }: Settings, look: Look, file: string | undefined, isAsked: boolean) {
  if (file && look.hasMessages)
    throw new Failed('There are messages on the server already, and a backup can only go to one without.');
  if (file) {
    if (!existsSync(file)) throw new Failed(`There is no file ${file}.`);
    const make = async (folder: string) => {
      if (/\.db$/i.test(file)) return file;
      await mkdir(folder);
      await unpack(file, folder, mostBytes);
      return join(folder, MESSAGES);
    };
    return { said: `the messages in ${file}`, make };
  }
  if (look.hasMessages || database.engine !== 'sqlite' || !existsSync(database.file)) return undefined;
  const local = await openDatabase(database, DESK_CONNECTION);
  try {
    const held = await countMessages(local);
    if (
      held === 0 ||
      (isAsked &&
        !(await yes(
          `There ${held === 1 ? 'is' : 'are'} ${count(held, 'message')} on this computer. Take along?`,
        )))
    )
      return undefined;
    const make = async (folder: string) => {
      const copy = `${folder}.db`;
      const from = await openDatabase(database, DESK_CONNECTION);
      await backUp(from, copy, () => {}).finally(() => from.close());
      return copy;
    };
    return { said: `${count(held, 'message')} of this computer`, make };
  } finally {
    await local.close();
  }
}

function plan(
  { server, siteUrl }: Settings,
  look: Look,
  domains: readonly string[],
  messages: string | undefined,
): string[] {
  const at = domains.length > 0 ? `https://${domains.join(' and ')}` : `http://${server?.host}`;
  const first = [
    'This will happen on the server. It is safe to run again, and to stop at any time:',
    '  – Caddy and Node are installed; a user without rights runs the site',
    '  – your page, words, photo and settings are sent there',
    ...(messages ? [`  – so are ${messages}`] : []),
    `  – the site is online at ${at}${siteUrl && domains.length === 0 ? ', without a certificate until the domain leads there' : ''}`,
    '  – each night a backup is made there; the firewall stays as it is',
  ];
  return look.release ? [`Release ${look.release} is online. The next one goes to ${at}.`] : first;
}

async function build(): Promise<void> {
  say('Building the page …');
  const child = spawn(process.execPath, [join(PROJECT_ROOT, 'build/build.ts'), TELL_PARENT], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const code = await withProgress('Building', '', (show) => {
    child.on('message', (far) => {
      show(String(far));
      process.send?.(`Building the page: ${far}`);
    });
    return new Promise((resolve) => child.once('close', resolve));
  });
  if (code !== 0) throw new Failed('The page could not be built, so nothing was sent.');
}

/** Whether visitors get through, seen from here. */
async function checkReachable(server: Server, domains: readonly string[]): Promise<void> {
  const [domain] = domains;
  for (const port of domain ? [80, 443] : [80]) {
    if (!(await isOpen(server.host, port)))
      throw new Failed(
        `The site runs, but nobody gets through to port ${port} of ${server.host}. Open ports 80 and 443 in your provider’s firewall, or on the server: ufw allow 80,443/tcp`,
      );
  }
  if (!domain) return say(`It’s at http://${server.host}/ for now.`);
  say('Waiting for the certificate …');
  if (!(await answersWithin(`https://${domain}/healthz`, CERTIFICATE_MS)))
    throw new Failed(
      `The site runs, but https://${domain} doesn’t answer yet. Caddy goes on trying to get the certificate, so look again in an hour. What it says: ssh ${server.user}@${server.host} journalctl -u caddy -n 20`,
    );
  say(`It’s online: https://${domain}/`);
}
