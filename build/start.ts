import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { readCommandLine } from '../server/command-line.ts';
import { loadEnv, readSettings, SettingsError } from '../server/settings.ts';
import { isStale } from './stale.ts';
import { ROOT } from './vite.ts';

// `npm start`: builds what is stale, in a process of its own so that the server does not carry the
// build tools' memory, then serves.
try {
  // What is answered at once needs no page.
  if (!('say' in readCommandLine()) && (await isStale(readSettings(loadEnv(ROOT))))) {
    console.log('Building the site …');
    const { status } = spawnSync(process.execPath, [join(ROOT, 'build/build.ts')], { stdio: 'inherit' });
    if (status !== 0) process.exit(1);
  }
  await import('../server/main.ts');
} catch (error) {
  if (!(error instanceof SettingsError)) throw error;
  console.error(error.message);
  process.exit(1);
}
