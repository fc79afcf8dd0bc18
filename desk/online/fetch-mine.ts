import { existsSync, rmSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, readdir, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { extract } from 'tar';
import { SETTINGS } from '../../settings/schema.ts';
import { PROJECT_ROOT, readSettings, shortPath } from '../../settings/settings.ts';
import { writeEnv } from '../env-file.ts';
import { Failed } from '../failures.ts';
import { ENV_FILE } from '../kept.ts';
import { withCleanup } from '../output-file.ts';
import { letIn } from './let-in.ts';
import { endOf, onServer } from './ssh.ts';

/** Brings her words, photo and settings to a new laptop, where none are yet. */
export async function fetchMine(address: string, say: (line: string) => void): Promise<void> {
  const { server } = readSettings({ [SETTINGS.server.name]: address });
  if (!server) throw new Failed('Name the server: npm run online -- --fetch 203.0.113.5');
  const { wordsDir } = readSettings({});
  const inTheWay = [ENV_FILE, join(wordsDir, 'words.json')].filter((path) => existsSync(path)).map(shortPath);
  if (inTheWay.length > 0)
    throw new Failed(
      `Nothing was fetched, because ${inTheWay.join(' and ')} would be overwritten. Move that away first.`,
    );
  await letIn(server, true);
  const folder = await mkdtemp(join(tmpdir(), 'fetched-'));
  await withCleanup(
    () => rmSync(folder, { recursive: true, force: true }),
    async () => {
      const child = onServer(server, 'mine', { stdio: ['ignore', 'pipe', 'inherit'] });
      const ended = endOf(child);
      if (child.stdout) await pipeline(child.stdout, extract({ cwd: folder, strict: true }));
      if ((await ended) !== 0) throw new Failed(`No site of yours is on ${server.host}.`);
      await mkdir(wordsDir, { recursive: true });
      const names = await readdir(join(folder, 'mine')).catch(() => []);
      for (const name of names) await copyFile(join(folder, 'mine', name), join(wordsDir, name));
      await writeEnv(PROJECT_ROOT, await readFile(join(folder, '.env'), 'utf8'));
      say(
        `Fetched ${names.length} of your files and your settings. npm start shows the page, npm run desk opens the desk.`,
      );
    },
  );
}
