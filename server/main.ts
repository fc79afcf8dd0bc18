import { existsSync, statSync, watchFile } from 'node:fs';
import { join } from 'node:path';
import { isatty } from 'node:tty';
import {
  PROJECT_ROOT,
  readEnvFile,
  readSettings,
  type Settings,
  SettingsError,
  shortPath,
  unknownSettings,
} from '../settings/settings.ts';
import { isMailedElsewhere, storedElsewhere } from './elsewhere.ts';
import { cannotListen, type Fetch, listen, localAddress, StartError } from './http/listen.ts';
import { loadStaticFiles } from './http/static.ts';
import { hideUnexpected, openLogs } from './log.ts';
import { StoreError } from './messages/store-error.ts';
import { openService, type Service } from './service.ts';
import { START_ANEW } from './start-anew.ts';

/** So that a balancer that asks /readyz each second stops sending people here, and whoever saved settings hears. */
const DRAIN_MS = 1_500;
/** At the terminal, so that a client with one request after another learns that this connection ends. */
const LAST_MS = 200;
/** How soon a change of the settings or the page is seen. */
const LOOK = { interval: 100, persistent: false };

const ENV = join(PROJECT_ROOT, '.env');
const changedAt = (path: string) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;

hideUnexpected();
// A full disk or a vanished reader mustn't end the server.
process.stderr.on('error', () => {});

try {
  // A folder to serve, or none for the page that's published.
  await start(process.argv[2]);
} catch (error) {
  const expected =
    error instanceof StartError || error instanceof SettingsError || error instanceof StoreError;
  if (!expected) throw error;
  const notes = error instanceof StartError ? unknownSettings() : [];
  process.stderr.write(`\n${[error.message, ...notes].join('\n\n')}\n\n`);
  process.exitCode = 1;
}

async function start(folder = join(PROJECT_ROOT, 'dist')): Promise<void> {
  const index = join(folder, 'index.html');
  const started = Promise.withResolvers<void>();
  // Starts before anything is read, so that no change is missed.
  const watch = (path: string, takeOver: () => void) =>
    watchFile(path, LOOK, (now, before) => {
      if (now.mtimeMs !== before.mtimeMs) void started.promise.then(takeOver);
    });
  watch(index, takeOverPage);
  // Anything but `npm start` decides for itself when.
  if (process.connected) watch(ENV, takeOverSettings);
  const settings = readSettings();
  const hadFile = hasSettings();
  const unknown = unknownSettings();
  const { log, say, end } = openLogs(settings.logLevel);
  if (!existsSync(index)) {
    throw new StartError(
      `The page is not built yet: ${shortPath(index)} is missing. Run \`npm start\`, which builds and starts it.`,
    );
  }
  const pages = loadStaticFiles(folder);
  const desk = settings.desk ? openDesk : undefined;
  const service = await openService(settings, { log, pages, desk, onMoved });
  const listening = await listen(service.app.fetch, settings, pages).catch(async (error: unknown) => {
    await service.close();
    throw cannotListen(error, settings);
  });

  let deskApp: { fetch: Fetch } | undefined;
  /** Her pages are loaded once somebody asks for them: they take memory, and visitors never ask. */
  async function openDesk(request: Request, env?: object): Promise<Response> {
    const loaded = await import('../desk/app.ts').catch((error: unknown) =>
      log.error({ err: error }, 'the desk cannot be loaded; was the site updated while it ran?'),
    );
    if (!loaded)
      return new Response('Your desk can’t be loaded. Stop the site, and start it again.\n', { status: 503 });
    deskApp ??= loaded.createDeskApp({ ...service, settings, log, reload, takeOverPage });
    return deskApp.fetch(request, env);
  }

  let stopping = false;
  /** With a code, whoever started it restarts it: systemd, the container's host or `npm start`. */
  async function stop(signal: string, code?: number): Promise<void> {
    if (stopping) return;
    stopping = true;
    process.exitCode = code;
    log.info({ signal }, 'stopping');
    const sending = service.stopSending();
    await Promise.all([listening.close(signal === 'SIGINT' ? LAST_MS : DRAIN_MS), sending]);
    await service.close();
    log.info('stopped');
    await end();
    // Unread output would keep it running.
    process.exit();
  }
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => void stop(signal));
  // What `npm start` runs ends with it, even if it was killed.
  process.on('disconnect', () => void stop('disconnect'));
  process.channel?.unref();
  function onMoved(): void {
    if (stopping) return;
    log.error(
      'the database was moved, deleted or replaced, or found no room at startup: the server stops, to be restarted with what is there now. What a moved file holds is still in it: to bring it back, stop the site and move it back',
    );
    void stop('none', START_ANEW);
  }
  let shown: number | undefined;
  /** As soon as the desk has published a page, or a look finds one. */
  function takeOverPage(): void {
    const now = changedAt(index);
    // While another page is put in place, there's none for a moment.
    if (now === 0 || now === shown) return;
    try {
      pages.reload();
      shown = now;
      log.info('a new page was published, and is shown');
    } catch (error) {
      // The next one may have just taken its place; the next look will see it.
      log.error({ err: error }, 'a new page was published, but cannot be read; the previous one is shown');
    }
  }
  /** Without its file, mails would become files, and the page would show an example of an address. */
  function reload(): Settings {
    if (hadFile && !hasSettings())
      throw new SettingsError(
        '.env is gone or empty, and the settings were in it. Put it back. To do without it, stop the site, and start it again.',
      );
    return readSettings();
  }
  function takeOverSettings(): void {
    if (stopping) return;
    try {
      reload();
    } catch (error) {
      if (!(error instanceof SettingsError)) throw error;
      process.stderr.write(`\n${error.message}\n\nThe site keeps running as it was before this change.\n\n`);
      return;
    }
    log.info('the settings were changed: the server restarts');
    void stop('none', START_ANEW);
  }
  started.resolve();
  // Since `npm start` published the page with them.
  if (![undefined, `${changedAt(ENV)}`].includes(process.env.ENV_SEEN)) takeOverSettings();
  // Last, since whoever waits for these lines may stop the server right away.
  const here = localAddress(settings.host, listening.port);
  say(startBlock(settings, service, here, unknown));
  // Never put a key to the desk in a log.
  if (!settings.desk || !isatty(1)) return;
  const { makeLink } = await import('../desk/door/links.ts');
  // While the database is down, a link gets nobody in anyway.
  const link = await makeLink(settings, service.database, here).catch(() => undefined);
  if (link) process.stdout.write(`  Open your desk: ${link}\n\n`);
}

function hasSettings(): boolean {
  return readEnvFile(PROJECT_ROOT).text.trim() !== '';
}

function startBlock(settings: Settings, service: Service, here: string, unknown: string[]): string {
  const { location } = service.database;
  const elsewhere = storedElsewhere(settings);
  const stored = service.isAway
    ? `NOT STORED YET: ${location} cannot be used yet. It will be tried again; the log says why and when`
    : `stored in ${shortPath(location)}`;
  const { mail, contactEmail } = settings;
  const sent =
    mail.via === 'folder'
      ? `for ${contactEmail}, written to ${shortPath(mail.folder)}/ as .eml files (SMTP_URL is not set)`
      : `sent to ${contactEmail} through ${mail.location}`;
  const rows = [
    ['The page', here],
    ['Messages', elsewhere ?? stored],
    ['Emails', isMailedElsewhere(settings) ? 'sent by your Supabase project' : !elsewhere && sent],
    ...unknown.map((problem) => ['Look at', problem]),
    ['Your desk', settings.desk && 'at /desk; npm run desk, in another terminal, shows a link to it'],
    ['To stop', 'Ctrl+C'],
  ];
  const lines = rows.flatMap(([label, text]) => (label && text ? `  ${label.padEnd(10)}${text}` : []));
  return `\n${lines.join('\n')}\n\n`;
}
