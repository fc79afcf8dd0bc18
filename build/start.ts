import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { readCommandLine, START_ANEW } from '../server/command-line.ts';
import { cannotListen, listen, StartError } from '../server/http/listen.ts';
import { loadEnv, readSettings, type Settings, SettingsError } from '../settings/settings.ts';
import { isStale } from './stale.ts';
import { ROOT } from './vite.ts';

/** Before the server is started anew: doubled each time, unless it ran for longer than the longest. */
const PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;

// `npm start`: builds the site if it's stale, then serves it. Both get their own process: the build, so that the server
// doesn't hold on to its tools' memory; the server, so that it can be started anew.
let stopped = false;
try {
  // `--help` and the like don't need a page.
  if (!('say' in readCommandLine())) await prepare(readSettings(loadEnv(ROOT)));
  await serve();
} catch (error) {
  if (!(error instanceof SettingsError || error instanceof StartError)) throw error;
  console.error(error.message);
  process.exit(1);
}

async function prepare(settings: Settings): Promise<void> {
  if (!(await isStale(settings))) return;
  // A port that's taken is better known before the build than after it.
  const trial = await listen(() => new Response(), settings).catch((error: unknown) => {
    throw cannotListen(error, settings);
  });
  await trial.close();
  // A build that's left running would write to the same folder as the next start's build.
  const building = run('build/build.ts');
  console.log('Building the site …');
  const code = await building;
  if (code !== 0) process.exit(code);
}

async function serve(): Promise<void> {
  const args = process.argv.slice(2);
  let code = await run('server/main.ts', args);
  // From its first such end on, whatever keeps it from starting may pass, such as a backup that's still being copied.
  for (let pause = PAUSE_MS, isAnew = code === START_ANEW; isAnew && code !== 0 && !stopped; ) {
    console.error(`The server is started anew in ${pause / 1000} s.`);
    await wait(pause);
    const startedAt = performance.now();
    code = await run('server/main.ts', args);
    pause =
      performance.now() - startedAt > LONGEST_PAUSE_MS ? PAUSE_MS : Math.min(2 * pause, LONGEST_PAUSE_MS);
  }
  process.exitCode = code;
}

/**
 * Hands signals on, which a console of Windows does itself; whatever ends this process, the server sees its channel close.
 * Returns the exit code.
 */
async function run(program: string, args: string[] = []): Promise<number> {
  const child = spawn(process.execPath, [join(ROOT, program), ...args], {
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
  });
  const pass = (signal: NodeJS.Signals) => {
    stopped = true;
    // There, it would end without a goodbye.
    if (process.platform !== 'win32') child.kill(signal);
  };
  process.on('SIGINT', pass).on('SIGTERM', pass);
  const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null];
  process.off('SIGINT', pass).off('SIGTERM', pass);
  return code ?? 128 + (signal ? constants.signals[signal] : 0);
}
