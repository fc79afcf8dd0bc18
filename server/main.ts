import { existsSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { isatty } from 'node:tty';
import {
  loadEnv,
  PROJECT_ROOT,
  readSettings,
  type Settings,
  SettingsError,
  shortPath,
} from '../settings/settings.ts';
import { unknownSettings } from '../settings/unknown.ts';
import { readCommandLine, START_ANEW } from './command-line.ts';
import { cannotListen, type Fetch, listen, localAddress, StartError } from './http/listen.ts';
import { loadStaticFiles } from './http/static.ts';
import { hideUnexpected, openLogs } from './log.ts';
import { StoreError } from './messages/store-error.ts';
import { openService, type Service } from './service.ts';

/** So that a balancer that asks /readyz each second sends nobody here any more, and whoever saved settings reads so. */
const DRAIN_MS = 1_500;
/** At the terminal, so that whoever sends one request after another learns that this connection ends. */
const LAST_MS = 200;
/** How soon a change of the settings or the page is seen. */
const LOOK_MS = 100;

hideUnexpected();
// A full disk or a vanished reader mustn't end the server.
process.stderr.on('error', () => {});

try {
  const commandLine = readCommandLine();
  if ('say' in commandLine) {
    process.exitCode = commandLine.exitCode;
    (commandLine.exitCode === 0 ? process.stdout : process.stderr).write(commandLine.say);
  } else await start(commandLine.folder);
} catch (error) {
  const expected =
    error instanceof StartError || error instanceof SettingsError || error instanceof StoreError;
  if (!expected) throw error;
  process.stderr.write(`\n${error.message}\n\n`);
  process.exitCode = 1;
}

async function start(folder = join(PROJECT_ROOT, 'dist')): Promise<void> {
  const dist = resolve(folder);
  const index = join(dist, 'index.html');
  const madeAt = (path: string) => {
    try {
      return statSync(path).mtimeMs;
    } catch {
      // It isn't there, or nobody can look at it for now.
      return undefined;
    }
  };
  const envFile = join(PROJECT_ROOT, '.env');
  let seen = { env: madeAt(envFile), page: madeAt(index) };
  const settings = readSettings(loadEnv());
  const { log, say, end } = openLogs(settings.logLevel);
  const unknown = unknownSettings();
  for (const problem of unknown) log.warn({ problem }, 'unknown setting');
  if (!existsSync(index)) {
    throw new StartError(
      'The page is not built yet: dist/index.html is missing. Run `npm start`, which builds and starts.',
    );
  }
  const pages = loadStaticFiles(dist);
  const desk = settings.desk ? openDesk : undefined;
  const service = await openService(settings, { log, pages, desk, onMoved });
  const listening = await listen(service.app.fetch, settings, pages).catch(async (error: unknown) => {
    await service.close();
    throw cannotListen(error, settings);
  });

  let deskApp: { fetch: Fetch } | undefined;
  /** Her pages are loaded once somebody asks for them: they take memory, and visitors never do. */
  async function openDesk(request: Request, env?: object): Promise<Response> {
    const { createDeskApp } = await import('../desk/app.ts');
    const reload = () => readSettings(loadEnv());
    const given = { settings: () => settings, reload, database: async () => service.database };
    deskApp ??= createDeskApp(given, { ...service, settings, log });
    return deskApp.fetch(request, env);
  }

  let stopping = false;
  async function stop(signal: string): Promise<void> {
    if (stopping) return;
    stopping = true;
    log.info({ signal }, 'stopping');
    const sending = service.stopSending();
    await Promise.all([listening.close(signal === 'SIGINT' ? LAST_MS : DRAIN_MS), sending]);
    await service.close();
    log.info('stopped');
    await end();
    // What nobody reads would keep it.
    process.exit();
  }
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => void stop(signal));
  // What `npm start` runs ends with it, even if it was killed.
  process.on('disconnect', () => void stop('disconnect'));
  process.channel?.unref();
  /** By systemd, the container's host or `npm start`. */
  function startAnew(): void {
    process.exitCode = START_ANEW;
    void stop('none');
  }
  function onMoved(): void {
    if (stopping) return;
    log.error(
      'the database was moved, deleted or replaced, or found no room at the start: the server ends, to be started anew with what is in its place. What a moved file holds is still in it: to bring it back, stop the site and move it back',
    );
    startAnew();
  }
  /** If another page was published. While it's put in place, there's none for a moment. */
  function takeOverPage(): void {
    const page = madeAt(index);
    if (page === seen.page || page === undefined) return;
    seen = { ...seen, page };
    try {
      pages.reload();
      log.info('another page was published, and is shown');
    } catch (error) {
      // Perhaps the next one has just taken its place, which is seen at the next look.
      log.error({ err: error }, 'another page was published, which cannot be read; the one before is shown');
    }
  }
  function takeOverSettings(): void {
    const env = madeAt(envFile);
    if (stopping || env === seen.env) return;
    seen = { ...seen, env };
    try {
      readSettings(loadEnv());
    } catch (error) {
      if (!(error instanceof SettingsError)) throw error;
      process.stderr.write(`\n${error.message}\n\nThe site goes on as it was before this change.\n\n`);
      return;
    }
    log.info('the settings were changed: the server is started anew');
    startAnew();
  }
  setInterval(takeOverPage, LOOK_MS).unref();
  // Others than `npm start` decide by themselves when.
  if (process.connected) setInterval(takeOverSettings, LOOK_MS).unref();
  // Last, since whoever waits for these lines may stop the server right away.
  say(startBlock(settings, service, listening.port, unknown));
  // Nobody finds a key to the desk in a log.
  if (settings.desk && isatty(1)) await showLink(settings, service, listening.port);
}

async function showLink(settings: Settings, { database }: Service, port: number): Promise<void> {
  const { makeLink } = await import('../desk/door/open.ts');
  // A database that's away for now gets nobody in anyway.
  const link = await makeLink(settings, database, localAddress(settings.host, port)).catch(() => undefined);
  if (link) process.stdout.write(`  Open your desk: ${link}\n\n`);
}

function startBlock(settings: Settings, service: Service, port: number, unknown: readonly string[]): string {
  const rows = [
    ['The page', localAddress(settings.host, port)],
    [
      'Messages',
      service.isAway
        ? `NOT STORED YET: ${service.database.location} cannot be used yet. It is tried again, and the log says why and when`
        : `stored in ${shortPath(service.database.location)}`,
    ],
    [
      'Mails',
      settings.mail.via === 'folder'
        ? `for ${settings.contactEmail}, written to ${shortPath(settings.mail.folder)}/ as .eml files (SMTP_URL is not set)`
        : `sent to ${settings.contactEmail} through ${settings.mail.location}`,
    ],
    ...unknown.map((problem) => ['Look at', problem]),
    ...(settings.desk
      ? [['Your desk', 'below /desk; npm run desk, in another terminal, shows a link to it']]
      : []),
    ['To stop', 'Ctrl+C'],
  ];
  return `\n${rows.map(([label = '', text = '']) => `  ${label.padEnd(10)}${text}`).join('\n')}\n\n`;
}
