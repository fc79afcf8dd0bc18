import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { pack } from '../desk/keep/archive.ts';
import { PROJECT_ROOT } from '../settings/settings.ts';
import { newPostgresDatabase } from './support/database/test-postgres.ts';
import { openTestDesk } from './support/desk/desk-process.ts';
import { COMPILED } from './support/service/compiled.ts';
import { temporaryFolder } from './support/service/open-test-service.ts';
import { submit } from './support/service/server-process.ts';
import { copyProject } from './support/site/copy-project.ts';

const SETTINGS = 'CONTACT_EMAIL=sam@rivera-ops.ca\nSMTP_URL=\nRETENTION_DAYS=432\nPORT=0\n';

const CLONES = mkdtempSync(join(tmpdir(), 'clones-'));
afterAll(() => rmSync(CLONES, { recursive: true, force: true }));

/** A fresh clone, and its programs run as their owner does: all settings come from its `.env`. */
function clone() {
  // The same few places again, since what's compiled is remembered by its path.
  let folder = join(CLONES, '1');
  for (let next = 2; existsSync(folder); next += 1) folder = join(CLONES, String(next));
  copyProject(folder);
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const at = (path: string) => join(folder, path);
  const start = (program: string, args: string[], env: Record<string, string> = {}) =>
    spawn(process.execPath, [at(program), ...args], {
      cwd: folder,
      env: { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '', ...COMPILED, ...env },
    });
  return {
    folder,
    at,
    write: (path: string, text: string) => writeFileSync(at(path), text),
    read: (path: string) => readFileSync(at(path), 'utf8'),

    async desk(args: string[], env?: Record<string, string>) {
      const child = start('desk/desk-command.ts', args, env);
      let out = '';
      let err = '';
      child.stdout.setEncoding('utf8').on('data', (text) => (out += text));
      child.stderr.setEncoding('utf8').on('data', (text) => (err += text));
      const [code] = await once(child, 'close');
      return { code, out, err };
    },

    /** `npm start`, or what serves a page that's already built, until it serves the page. */
    async serve(
      program = 'publish/start.ts',
      args: string[] = [],
    ): Promise<{ url: string; stop(): Promise<void> }> {
      const child = start(program, args);
      let said = '';
      for (const stream of [child.stdout, child.stderr])
        stream.setEncoding('utf8').on('data', (text) => (said += text));
      const closed = once(child, 'close');
      onTestFinished(() => void child.kill('SIGKILL'));
      await expect.poll(() => said).toMatch(/The page +http:\S+|"port":\d+/);
      const [, url, port] = /The page +(http:\S+)|"port":(\d+)/.exec(said) ?? [];
      return {
        url: url ?? `http://localhost:${port}`,
        async stop() {
          child.kill('SIGTERM');
          await closed;
        },
      };
    },
  };
}

/** A clone whose owner has changed words, photo and settings. */
function ownersClone() {
  const owner = clone();
  mkdirSync(owner.at('mine'));
  owner.write('mine/words.json', '{ "hero": { "headline": "Mine, as it was" } }');
  owner.write('mine/history.json', '{ "changes": [], "done": 0, "shipped": {} }');
  copyFileSync(join(PROJECT_ROOT, 'docs/page.png'), owner.at('mine/founder.png'));
  owner.write('.env', SETTINGS);
  return owner;
}

const mailsIn = (folder: string) => {
  const mails = join(folder, 'data/mail');
  return existsSync(mails) ? readdirSync(mails).filter((name) => name.endsWith('.eml')) : [];
};

test('one command takes all that is the owner’s, and one brings it back in a fresh clone, which then runs', async () => {
  const owner = ownersClone();
  // The first page plays no part, and building it takes long.
  mkdirSync(owner.at('page'));
  owner.write('page/index.html', '<h1>Home</h1>');
  const first = await owner.serve('server/main.ts', [owner.at('page')]);
  expect(await submit(first.url, 'Kept through everything')).toBe(200);
  await expect.poll(() => mailsIn(owner.folder)).toHaveLength(1);
  await first.stop();
  const file = join(temporaryFolder(), 'all.zip');
  const made = await owner.desk(['backup', file]);
  expect(made).toMatchObject({ code: 0 });
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readdirSync(join(file, '..'))).toEqual(['all.zip']);
  const before = await owner.desk(['list', '--json']);
  rmSync(owner.folder, { recursive: true });

  const fresh = clone();
  expect(await fresh.desk(['restore', file])).toMatchObject({ code: 0 });
  renameSync(fresh.at('.env.from-backup'), fresh.at('.env'));
  expect(fresh.read('.env')).toBe(SETTINGS);
  expect(readdirSync(fresh.at('mine'))).toEqual(['founder.png', 'history.json', 'words.json']);
  for (const path of ['.env', 'data', 'data/mail', 'data/contact.db'])
    expect(statSync(fresh.at(path)).mode & 0o077, path).toBe(0);
  expect(await fresh.desk(['list', '--json'])).toEqual(before);
  expect(readFileSync(join(fresh.at('data/mail'), mailsIn(fresh.folder)[0] ?? ''), 'utf8')).toContain(
    'Kept through everything',
  );
  const server = await fresh.serve();
  const page = await (await fetch(server.url)).text();
  const own = ['Mine, as it was</h1>', '/416.avif 416w', 'mailto:sam@rivera-ops.ca', '432 days'];
  expect(own.filter((words) => !page.includes(words))).toEqual([]);
  await server.stop();
});

test('a backup goes where nothing is, its settings wait to be read, and another run brings what is missing', async () => {
  const owner = ownersClone();
  mkdirSync(owner.at('data/mail'), { recursive: true });
  owner.write('data/mail/one.eml', 'A mail');
  const { add, file: database } = await openTestDesk('sqlite');
  await add();
  const env = { DATABASE_URL: `file:${database}` };
  const file = join(temporaryFolder(), 'all.zip');
  expect(await owner.desk(['backup', file], env)).toMatchObject({ code: 0 });

  const held = await owner.desk(['restore', file], env);
  expect(held).toMatchObject({ code: 1, out: '' });
  expect(held.err).toMatch(/contact\.db already has 1 message/);

  const other = clone();
  mkdirSync(other.at('mine'));
  other.write('mine/words.json', '{ "hero": { "headline": "Newer" } }');
  other.write('mine/founder.jpg', 'Newer');
  const refused = await other.desk(['restore', file]);
  expect(refused).toMatchObject({ code: 1, out: '' });
  expect(refused.err).toMatch(/^Nothing was restored, because there is mine\/\S+ and mine\/\S+, which/);
  for (const name of ['words.json', 'founder.jpg']) expect(refused.err).toContain(`mine/${name}`);
  expect(other.read('mine/words.json')).toContain('Newer');
  expect(['data/contact.db', '.env.from-backup'].filter((name) => existsSync(other.at(name)))).toEqual([]);

  // As a restore that was killed leaves it.
  rmSync(other.at('mine/founder.jpg'));
  copyFileSync(owner.at('mine/words.json'), other.at('mine/words.json'));
  const run = await other.desk(['restore', file]);
  expect(run).toMatchObject({ code: 0 });
  expect(run.err).toContain('settings are in .env.from-backup and not used yet');
  expect(other.read('.env.from-backup')).toBe(SETTINGS);
  expect(statSync(other.at('.env.from-backup')).mode & 0o077).toBe(0);
  expect(existsSync(other.at('.env'))).toBe(false);
  expect(readdirSync(other.at('mine'))).toEqual(readdirSync(owner.at('mine')));

  // Settings belong to the machine: they stay, and that's said.
  const third = clone();
  third.write('.env', 'DATABASE_URL=file:./data/elsewhere.db\n');
  const kept = await third.desk(['restore', file]);
  expect(kept).toMatchObject({
    code: 0,
    err: expect.stringMatching(/^Your \.env stays as it is\. The backup’s is another/),
  });
  expect(third.read('.env')).toBe('DATABASE_URL=file:./data/elsewhere.db\n');
});

test('where a backup’s files go is never its own choice, and a bad one changes nothing', async () => {
  const { file: messages, add } = await openTestDesk('sqlite');
  await add();
  const folder = temporaryFolder();
  const path = (name: string) => join(folder, name);
  const theirs = clone();
  const env = `WORDS_DIR=${path('words')}\nMAIL_DIR=./server\nSMTP_URL=smtps://a:secret@mail.example.org\n`;
  theirs.write('.env', env);
  mkdirSync(path('words'));
  writeFileSync(path('words/words.json'), 'theirs');
  const backup = ['backup', path('theirs.zip')];
  expect(await theirs.desk(backup, { DATABASE_URL: `file:${messages}` })).toMatchObject({ code: 0 });
  rmSync(path('words'), { recursive: true });
  await pack(path('photos.zip'), entries({ 'holiday.jpg': 'sea' }));
  await pack(path('diary.zip'), entries({ 'messages.db': 'Dear diary' }));
  copyFileSync(path('diary.zip'), path('cut.zip'));
  truncateSync(path('cut.zip'), 60);
  const fresh = clone();
  for (const [name, words] of [
    ['cut.zip', /cut\.zip is damaged, so nothing was restored/],
    ['photos.zip', /photos\.zip isn’t a backup: it has no messages\.db in it/],
    ['diary.zip', /diary\.zip is no backup that this version can read: .*is no SQLite database/],
  ] as const) {
    const { code, out, err } = await fresh.desk(['restore', path(name)]);
    expect({ code, out }, name).toEqual({ code: 1, out: '' });
    expect(err).toMatch(words);
    expect(err).not.toContain('.unfinished');
  }
  expect(['data/contact.db', 'mine', '.env'].filter((name) => existsSync(fresh.at(name)))).toEqual([]);
  expect(await fresh.desk(['restore', path('theirs.zip')])).toMatchObject({ code: 0 });
  expect(fresh.read('mine/words.json')).toBe('theirs');
  expect(existsSync(path('words'))).toBe(false);
});

test('with Postgres the messages are in it too, and go to any database; settings of the environment are not', async () => {
  const { add, url } = await openTestDesk('postgres');
  await add({ message: 'From Postgres' });
  const owner = clone();
  const file = join(temporaryFolder(), 'all.zip');
  expect(await owner.desk(['backup', file], { DATABASE_URL: url })).toMatchObject({ code: 0 });
  const fresh = clone();
  for (const target of [await newPostgresDatabase(), 'file:./data/contact.db']) {
    expect(await fresh.desk(['restore', file], { DATABASE_URL: target })).toMatchObject({ code: 0, err: '' });
    expect((await fresh.desk(['list'], { DATABASE_URL: target })).out).toContain('From Postgres');
  }
});

const hasGit = spawnSync('git', ['--version']).status === 0;

test.skipIf(!hasGit)(
  'git leaves alone all that is the owner’s, and backups made in the project’s folder',
  () => {
    const folder = temporaryFolder();
    copyFileSync(join(PROJECT_ROOT, '.gitignore'), join(folder, '.gitignore'));
    const git = (args: string[], input = '') =>
      spawnSync('git', args, { cwd: folder, input, encoding: 'utf8' }).stdout.trimEnd().split('\n');
    git(['init', '--quiet']);
    const own = [
      'mine/words.json',
      'mine/history.json',
      'mine/earlier-photos/1a2b.jpg',
      'mine/founder.jpg',
      '.env',
      '.env.from-backup',
      'data/contact.db',
      'site.zip',
      'move.db',
    ];
    const ours = ['.env.example', 'site/content/hero.ts', 'package.json'];
    expect(git(['check-ignore', '--stdin'], [...own, ...ours].join('\n'))).toEqual(own);
  },
);

async function* entries(files: Record<string, string>): AsyncGenerator<[string, Blob]> {
  for (const [name, text] of Object.entries(files)) yield [name, new Blob([text])];
}
