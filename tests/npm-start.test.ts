import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { ensureProgram, isPublished, PUBLISHED, publish } from '../publish/publish.ts';
import { readSettings } from '../settings/settings.ts';
import { freePort } from './support/network/free-port.ts';
import { copyProject } from './support/site/copy-project.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'npm-start-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('whether the page is published anew', () => {
  const WORDS_DIR = () => join(folder, 'words');
  const settings = (env: Record<string, string> = {}) => readSettings({ WORDS_DIR: WORDS_DIR(), ...env });
  const isUpToDate = (env?: Record<string, string>) => isPublished(settings(env), join(folder, 'dist'));
  beforeEach(async () => {
    await ensureProgram();
    await publish(settings(), join(folder, 'dist'));
  });

  test('it is when a setting has changed that the page shows or uses, and not for another one', async () => {
    for (const [name, value] of [
      ['CONTACT_EMAIL', 'ops@example.com'],
      ['SITE_URL', 'https://www.example.com'],
      ['VITE_SUPABASE_URL', 'https://abcdefgh.supabase.co'],
      ['VITE_SUPABASE_ANON_KEY', 'sb_publishable_another'],
      ['RETENTION_DAYS', '365'],
      // The privacy policy names its host.
      ['SMTP_URL', 'smtps://user:password@smtp.example.com:465'],
    ] as const)
      expect([name, await isUpToDate({ [name]: value })]).toEqual([name, false]);
    for (const [name, value] of [
      ['PORT', '9090'],
      ['HOST', '0.0.0.0'],
      ['DATABASE_URL', 'file:./elsewhere/contact.db'],
      ['MAIL_DIR', './elsewhere/mail'],
      ['LOG_LEVEL', 'debug'],
    ] as const)
      expect([name, await isUpToDate({ [name]: value })]).toEqual([name, true]);
  });

  test('it is when a word or photo of the owner’s comes or goes, and not for an empty folder', async () => {
    mkdirSync(WORDS_DIR());
    expect(await isUpToDate()).toBe(true);
    writeFileSync(join(WORDS_DIR(), 'words.json'), '{"hero": {"headline": "Mine"}}');
    expect(await isUpToDate()).toBe(false);
    renameSync(join(WORDS_DIR(), 'words.json'), join(WORDS_DIR(), 'founder.jpg'));
    expect(await isUpToDate()).toBe(false);
    rmSync(join(WORDS_DIR(), 'founder.jpg'));
    // What can be undone shows nowhere.
    writeFileSync(join(WORDS_DIR(), 'history.json'), '{}');
    expect(await isUpToDate()).toBe(true);
  });

  test('it is when there is none, or one of another version of the program', async () => {
    expect(await isPublished(settings(), join(folder, 'nothing-here'))).toBe(false);
    const file = join(folder, 'dist', PUBLISHED);
    writeFileSync(file, readFileSync(file, 'utf8').replace('"version":"', '"version":"0'));
    expect(await isUpToDate()).toBe(false);
  });
});

describe.skipIf(process.platform === 'win32')('npm start in a copy of the project', () => {
  /** Runs until `end`, which signals the first program alone, as a service manager may. */
  function start(env: Record<string, string> = {}, command = 'npm start') {
    const [program = '', ...args] = command.split(' ');
    const child = spawn(program, args, {
      cwd: folder,
      // Its own group, so anything left behind can be killed below.
      detached: true,
      env: {
        PATH: process.env.PATH,
        HOME: process.env.HOME,
        HOST: '127.0.0.1',
        PORT: '0',
        DATABASE_URL: `file:${join(folder, 'contact.db')}`,
        MAIL_DIR: join(folder, 'mail'),
        ...env,
      },
    });
    let out = '';
    let looks: (() => void)[] = [];
    const closed = once(child, 'close');
    onTestFinished(async () => {
      if (child.pid) {
        try {
          process.kill(-child.pid, 'SIGKILL');
        } catch {
          // Nothing was left behind.
        }
      }
      await closed;
    });
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk) => {
        out += chunk;
        for (const look of looks) look();
      });
    }
    /** If it ends early, the test shows its output instead of waiting forever. */
    async function says(pattern: RegExp): Promise<void> {
      const seen = new Promise<void>((resolve) => {
        looks = [() => pattern.test(out) && resolve()];
        if (pattern.test(out)) resolve();
      });
      await Promise.race([seen, closed]);
      expect(out).toMatch(pattern);
    }
    /** Returns all that it said, once the last process that can write there has ended, not just npm. */
    async function end(signal: NodeJS.Signals = 'SIGTERM'): Promise<string> {
      child.kill(signal);
      await closed;
      return out.trimEnd();
    }
    return { says, end };
  }

  const publishCopy = () => publish(readSettings({ WORDS_DIR: join(folder, 'mine') }), join(folder, 'dist'));

  beforeAll(() => ensureProgram());

  test('ends the publishing, and then the server in good order, also one that was started anew', async () => {
    copyProject(folder);

    const building = start();
    await building.says(/Building the site/);
    await building.end();
    expect(existsSync(join(folder, 'dist')), 'it didn’t go on by itself').toBe(false);

    await publishCopy();
    const served = start();
    await served.says(/The page +http/);
    expect((await served.end()).split('\n').at(-1)).toContain('"msg":"stopped"');

    const anew = start();
    await anew.says(/The page +http/);
    // The server ends since its log is gone.
    rmSync(join(folder, 'contact.db-wal'));
    await anew.says(/started anew[\s\S]*The page +http/);
    expect((await anew.end()).split('\n').at(-1)).toContain('"msg":"stopped"');
  });

  test('if what started it is killed, the server ends in good order', async () => {
    copyProject(folder);
    await publishCopy();
    const site = start({}, `${process.execPath} publish/start.ts`);
    await site.says(/The page +http/);
    expect((await site.end('SIGKILL')).split('\n').at(-1)).toContain('"msg":"stopped"');
  });

  test('takes over other settings and another page, and goes on if .env is broken', async () => {
    copyProject(folder);
    await publishCopy();
    const port = await freePort();
    const url = `http://127.0.0.1:${port}/`;
    const site = start({ PORT: String(port) });
    await site.says(/The page +http/);
    const env = (text: string) => {
      // In one step, or it's seen empty for a moment, which is a change too.
      writeFileSync(join(folder, 'unfinished'), text);
      renameSync(join(folder, 'unfinished'), join(folder, '.env'));
    };

    env('LOG_LEVEL=debug\nPORT=1\nTIME_ZONE=Nowhere\n');
    await site.says(/TIME_ZONE +is "Nowhere"[\s\S]*goes on as it was/);
    expect(await (await fetch(url)).text()).toContain('hello@example.com');

    env('CONTACT_EMAIL=nobody@example.org\nWORDS_DIR=./contact.db\n');
    await site.says(/WORDS_DIR[\s\S]*goes on as it was/);

    env('CONTACT_EMAIL=new@example.org\n');
    await site.says(/for new@example\.org/);
    expect(await (await fetch(url)).text()).toContain('new@example.org');

    // As when the desk has published it, or another container of the same volume, from something else.
    writeFileSync(join(folder, 'dist/index.html'), '<h1>Another</h1>');
    for (const packed of ['br', 'gz']) rmSync(join(folder, `dist/index.html.${packed}`));
    utimesSync(join(folder, 'dist/index.html'), 1, 1);
    await site.says(/another page was published/);
    expect(await (await fetch(url)).text()).toContain('Another');
    const all = await site.end();
    expect(all.split('\n').at(-1)).toContain('"msg":"stopped"');
    expect(all.match(/"msg":"stopped"/g), 'each of them').toHaveLength(2);
    expect(all.match(/Building the site/g), 'not over what somebody else has built').toHaveLength(1);
  });
});
