import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { constants } from 'node:os';
import { join, relative } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { readCommandLine, START_ANEW } from '../server/command-line.ts';
import { cannotListen, listen, StartError } from '../server/http/listen.ts';
import { loadEnv, readSettings, SettingsError } from '../settings/settings.ts';
import { DIST, isStale, STAMP } from './stale.ts';
import { ROOT } from './vite.ts';

/** Before the server is started anew: doubled each time, unless it ran for longer than the longest. */
const PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;

/** How soon a change of the settings or the page is seen. */
const LOOK_MS = 500;

type Running = { child: ChildProcess; code: Promise<number> };

// `npm start`: builds the site if it's stale, then serves it. Both get their own process: the build, so that the server
// doesn't hold on to its tools' memory; the server, so that it can be started anew.
const args = process.argv.slice(2);
let stopped = false;
let listensAt = '';
/** What the server was started with. */
let seen = look();
try {
  // `--help` and the like don't need a page.
  if (!('say' in readCommandLine())) await prepare();
  seen.page = look().page;
  await serve();
} catch (error) {
  if (!isExpected(error)) throw error;
  console.error(error.message);
  process.exit(1);
}

/**
 * @param mayBuild false if somebody else has just built, or two containers would build over each other's page
 * @throws {SettingsError | StartError} if no server can be started with the settings as they are
 */
async function prepare(mayBuild = true): Promise<void> {
  const isFirst = listensAt === '';
  const settings = readSettings(loadEnv(ROOT));
  const { host, port } = settings;
  const isToBuild = mayBuild && (await isStale(settings));
  // A port that's taken is better known before the build than after it, and before the old server is gone.
  if (`${host} ${port}` !== listensAt && (isToBuild || !isFirst)) {
    const trial = await listen(() => new Response(), settings).catch((error: unknown) => {
      throw cannotListen(error, settings);
    });
    await trial.close();
  }
  if (isToBuild) {
    // A build that's left running would write to the same folder as the next start's build.
    const building = run('build/build.ts');
    console.log('Building the site …');
    const code = await building.code;
    if (code !== 0 && (isFirst || stopped)) process.exit(code);
    if (code !== 0) throw new StartError('The page could not be built.');
  }
  listensAt = `${host} ${port}`;
}

async function serve(): Promise<void> {
  let server = run('server/main.ts', args);
  let changed = change();
  let startedAt = performance.now();
  for (let pause = 0; ; ) {
    const code = await Promise.race([server.code, changed]);
    if (code === 'changed') {
      server = await replace(server);
      changed = change();
      continue;
    }
    process.exitCode = code;
    // From its first such end on, whatever keeps it from starting may pass, such as a backup that's still being copied.
    if (code === 0 || stopped || (pause === 0 && code !== START_ANEW)) process.exit();
    const isLongAgo = performance.now() - startedAt > LONGEST_PAUSE_MS;
    pause = pause === 0 || isLongAgo ? PAUSE_MS : Math.min(2 * pause, LONGEST_PAUSE_MS);
    console.error(`The server is started anew in ${pause / 1000} s.`);
    await wait(pause);
    startedAt = performance.now();
    server = run('server/main.ts', args);
  }
}

function look() {
  const read = (path: string) => {
    try {
      return readFileSync(join(ROOT, path), 'utf8');
    } catch {
      return '';
    }
  };
  const page = read(join(relative(ROOT, DIST), STAMP));
  return { env: read('.env'), page };
}

/** Resolves once `.env` or the built page is another. While a build puts it in place, there's none for a moment. */
async function change(): Promise<'changed'> {
  for (;;) {
    const { env, page } = look();
    if (env !== seen.env || (page !== '' && page !== seen.page)) return 'changed';
    await wait(LOOK_MS, undefined, { ref: false });
  }
}

/** The old server goes once the new one needs nothing but its port; or stays, if there can be no new one. */
async function replace(old: Running): Promise<Running> {
  const { env } = seen;
  seen = look();
  try {
    await prepare(seen.env !== env);
    seen.page = look().page;
    const next = run('server/main.ts', args, { WAIT_FOR_PORT: '1' });
    const isReady = await Promise.race([once(next.child, 'message'), next.code.then(() => false)]);
    if (!isReady) throw new StartError('The new server ended.');
    if (old.child.connected) old.child.disconnect();
    await old.code;
    next.child.send('listen');
    return next;
  } catch (error) {
    if (!isExpected(error)) throw error;
    if (!stopped) console.error(`${error.message}\n\nThe site goes on as it was before this change.`);
    return old;
  }
}

function isExpected(error: unknown): error is Error {
  return error instanceof SettingsError || error instanceof StartError;
}

/**
 * Hands signals on, which a console of Windows does itself; whatever ends this process, the server sees its channel close.
 * Its code is what it ends with.
 */
function run(program: string, args: string[] = [], env = {}): Running {
  const child = spawn(process.execPath, [join(ROOT, program), ...args], {
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    env: { ...process.env, ...env },
  });
  const pass = (signal: NodeJS.Signals) => {
    stopped = true;
    // There, it would end without a goodbye.
    if (process.platform !== 'win32') child.kill(signal);
  };
  process.on('SIGINT', pass).on('SIGTERM', pass);
  const code = once(child, 'exit').then(([code, signal]: (number | NodeJS.Signals | null)[]) => {
    process.off('SIGINT', pass).off('SIGTERM', pass);
    return Number(code ?? 128 + (signal ? constants.signals[signal as NodeJS.Signals] : 0));
  });
  return { child, code };
}
