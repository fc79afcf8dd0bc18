import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openSqlite } from '../server/messages/sqlite.ts';
import { PROJECT_ROOT } from '../settings/settings.ts';
import { createStore } from './support/database/open-store.ts';
import { NODE_ENVIRONMENT } from './support/service/node-environment.ts';
import { MESSAGE, temporaryFolder } from './support/service.ts';
import { copyProject } from './support/site/copy-project.ts';

const SETTINGS = 'CONTACT_EMAIL=sam@rivera-ops.ca\nSMTP_URL=\nPORT=0\nWORDS_DIR=./words\n';

/** A fresh clone, and its desk as its owner runs it: all settings come from its `.env`. */
function clone() {
  const folder = copyProject(temporaryFolder());
  const at = (path: string) => join(folder, path);
  return {
    at,
    write: (path: string, text: string) => writeFileSync(at(path), text),
    read: (path: string) => readFileSync(at(path), 'utf8'),
    desk(...args: string[]) {
      const { status, stdout, stderr } = spawnSync(process.execPath, [at('desk/desk-command.ts'), ...args], {
        cwd: folder,
        encoding: 'utf8',
        env: { HOME: process.env.HOME, ...NODE_ENVIRONMENT },
      });
      return { code: status, out: stdout, err: stderr };
    },
  };
}

test('one command backs up all that’s the owner’s, and one restores it in a fresh clone, wherever it was', async () => {
  const owner = clone();
  mkdirSync(owner.at('words'));
  owner.write('words/words.json', '{ "hero": { "headline": "Mine, as it was" } }');
  owner.write('words/history.json', '{ "changes": [], "done": 0, "shipped": {} }');
  copyFileSync(join(PROJECT_ROOT, 'docs/page.png'), owner.at('words/founder.png'));
  owner.write('.env', SETTINGS);
  const database = await openSqlite(owner.at('data/contact.db'));
  await createStore(database).add(MESSAGE, { now: Date.now() });
  await database.close();
  const file = join(temporaryFolder(), 'all.zip');
  expect(owner.desk('backup', file)).toMatchObject({ code: 0 });
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readdirSync(join(file, '..'))).toEqual(['all.zip']);

  const fresh = clone();
  mkdirSync(fresh.at('mine'));
  fresh.write('mine/words.json', '{ "hero": { "headline": "Newer" } }');
  fresh.write('mine/founder.jpg', 'Newer');
  const refused = fresh.desk('restore', file);
  expect(refused).toMatchObject({ code: 1, out: '' });
  for (const name of ['words.json', 'founder.jpg']) expect(refused.err).toContain(`mine/${name}`);
  expect(fresh.read('mine/words.json')).toContain('Newer');
  expect(['data/contact.db', '.env.from-backup'].filter((name) => existsSync(fresh.at(name)))).toEqual([]);

  // As a restore that was killed leaves it.
  rmSync(fresh.at('mine/founder.jpg'));
  copyFileSync(owner.at('words/words.json'), fresh.at('mine/words.json'));
  const run = fresh.desk('restore', file);
  expect(run).toMatchObject({ code: 0 });
  expect(run.err).toContain('settings are in .env.from-backup and not used yet');
  expect(existsSync(fresh.at('.env'))).toBe(false);
  renameSync(fresh.at('.env.from-backup'), fresh.at('.env'));
  expect(fresh.read('.env')).toBe(SETTINGS);
  for (const name of ['founder.png', 'history.json', 'words.json'])
    expect(fresh.read(`mine/${name}`), name).toBe(owner.read(`words/${name}`));
  for (const path of ['.env', 'data', 'data/contact.db'])
    expect(statSync(fresh.at(path)).mode & 0o077, path).toBe(0);
  const listed = owner.desk('list', '--json');
  expect(listed.out).toContain(MESSAGE.message);
  expect(fresh.desk('list', '--json')).toEqual(listed);

  const other = clone();
  other.write('.env', 'PORT=0\n');
  expect(other.desk('restore', file)).toMatchObject({ code: 0, err: '' });
  expect(other.read('.env')).toBe('PORT=0\n');
});

const withGit = test.skipIf(spawnSync('git', ['--version']).status !== 0);
withGit('git ignores all that’s the owner’s, and backups made in the project’s folder', () => {
  const folder = temporaryFolder();
  copyFileSync(join(PROJECT_ROOT, '.gitignore'), join(folder, '.gitignore'));
  const git = (args: string[], input = '') =>
    spawnSync('git', args, { cwd: folder, input, encoding: 'utf8' }).stdout.trimEnd().split('\n');
  git(['init', '--quiet']);
  const words = ['words.json', 'history.json', 'earlier-photos/1a2b.jpg', 'founder.jpg'];
  const others = ['.env', '.env.from-backup', 'data/contact.db', 'site.zip', 'move.db'];
  const own = [...words.map((name) => `mine/${name}`), ...others];
  const ours = ['.env.example', 'site/content/hero.ts', 'package.json'];
  expect(git(['check-ignore', '--stdin'], [...own, ...ours].join('\n'))).toEqual(own);
});
