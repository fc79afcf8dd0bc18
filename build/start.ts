import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { readCommandLine } from '../server/command-line.ts';
import { cannotListen, listen, StartError } from '../server/listen.ts';
import { loadEnv, readSettings, type Settings, SettingsError } from '../settings/settings.ts';
import { isStale } from './stale.ts';
import { ROOT } from './vite.ts';

// `npm start`: builds the site if it's stale, then serves it. The build gets its own process, so that the server
// doesn't hold on to the build tools' memory.
try {
  // `--help` and the like don't need a page.
  if (!('say' in readCommandLine())) await prepare(readSettings(loadEnv(ROOT)));
  await import('../server/main.ts');
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
  await buildSite();
}

async function buildSite(): Promise<void> {
  const child = spawn(process.execPath, [join(ROOT, 'build/build.ts')], { stdio: 'inherit' });
  // A build that's left running would write to the same folder as the next start's build.
  const pass = (signal: NodeJS.Signals) => void child.kill(signal);
  process.on('SIGINT', pass).on('SIGTERM', pass);
  console.log('Building the site …');
  const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null];
  process.off('SIGINT', pass).off('SIGTERM', pass);
  if (signal) process.kill(process.pid, signal);
  if (code !== 0) process.exit(code ?? 1);
}
