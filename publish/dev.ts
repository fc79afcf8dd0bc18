import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, watch } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { PROJECT_ROOT, readSettings } from '../settings/settings.ts';

/** An editor may write a file more than once, and the desk publishes its own changes. */
const SETTLED_MS = 500;

// `npm run dev`: `npm start` for this machine alone, and the page is published again on each save.
process.env.HOST = 'localhost';
const { wordsDir } = readSettings();
mkdirSync(wordsDir, { recursive: true });
let last: Promise<unknown> = Promise.resolve();
let isDue = false;
for (const folder of ['publish', 'contract', 'site', wordsDir])
  watch(resolve(PROJECT_ROOT, folder), { recursive: true }, publish);
await import('./start.ts');

/** One at a time, each in its own process, so that changes in publish/ count, too. */
async function publish(): Promise<void> {
  if (isDue) return;
  isDue = true;
  await Promise.all([last, wait(SETTLED_MS)]);
  isDue = false;
  const args = [join(PROJECT_ROOT, 'publish/publish.ts'), '--if-needed'];
  last = once(spawn(process.execPath, args, { stdio: 'inherit' }), 'exit');
}
