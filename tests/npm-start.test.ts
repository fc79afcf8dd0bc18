import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { fingerprint, isStale, STAMP } from '../build/stale.ts';
import { readSettings } from '../settings/settings.ts';
import { freePort } from './support/network/free-port.ts';
import { copyProject } from './support/site/copy-project.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'npm-start-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('whether the site is built anew', () => {
  test.each([
    ['CONTACT_EMAIL', 'ops@example.com'],
    ['SITE_URL', 'https://www.example.com'],
    ['VITE_SUPABASE_URL', 'https://abcdefgh.supabase.co'],
    ['VITE_SUPABASE_ANON_KEY', 'sb_publishable_another'],
    ['RETENTION_DAYS', '365'],
    // The privacy policy names its host.
    ['SMTP_URL', 'smtps://user:password@smtp.example.com:465'],
  ])('it is when %s has changed, which the page shows or uses', async (name, value) => {
    expect(await fingerprint(readSettings({ [name]: value }))).not.toBe(await fingerprint(readSettings({})));
  });

  test.each([
    ['PORT', '9090'],
    ['HOST', '0.0.0.0'],
    ['DATABASE_URL', 'file:./elsewhere/contact.db'],
    ['MAIL_DIR', './elsewhere/mail'],
    ['LOG_LEVEL', 'debug'],
  ])('it is not when %s has changed, which the page knows nothing of', async (name, value) => {
    expect(await fingerprint(readSettings({ [name]: value }))).toBe(await fingerprint(readSettings({})));
  });

  test('it is when a word or photo of the owner’s comes, changes or goes, and not for an empty folder', async () => {
    const at = () => fingerprint(readSettings({ WORDS_DIR: join(folder, 'words') }));
    const seen = [await at()];
    mkdirSync(join(folder, 'words'));
    expect(await at()).toBe(seen[0]);
    for (const change of ['one', 'two']) {
      writeFileSync(join(folder, 'words/words.json'), change);
      seen.push(await at());
    }
    renameSync(join(folder, 'words/words.json'), join(folder, 'words/founder.jpg'));
    seen.push(await at());
    expect(new Set(seen).size).toBe(4);
    // What can be undone shows nowhere.
    writeFileSync(join(folder, 'words/history.json'), '{}');
    expect(await at()).toBe(seen.at(-1));
  });

  test('it is when there is none, or one that was made from something else', async () => {
    const settings = readSettings({});
    expect(await isStale(settings, join(folder, 'nothing-here'))).toBe(true);
    writeFileSync(join(folder, STAMP), 'something else');
    expect(await isStale(settings, folder)).toBe(true);
    writeFileSync(join(folder, STAMP), await fingerprint(settings));
    expect(await isStale(settings, folder)).toBe(false);
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

  /** As if the page had been built. */
  async function pretendToBuild(): Promise<void> {
    mkdirSync(join(folder, 'dist'));
    writeFileSync(join(folder, 'dist/index.html'), '<h1>Home</h1>');
    writeFileSync(join(folder, 'dist', STAMP), await fingerprint(readSettings({})));
  }

  test('ends the build, and then the server in good order, also one that was started anew', async () => {
    copyProject(folder);

    const building = start();
    await building.says(/Building the site/);
    await building.end();
    expect(existsSync(join(folder, 'dist')), 'no build went on by itself').toBe(false);

    await pretendToBuild();
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

  test.each([['npm start'], [`${process.execPath} build/start.ts`]])(
    'if %s is killed, the server ends in good order',
    async (command) => {
      copyProject(folder);
      await pretendToBuild();
      const site = start({}, command);
      await site.says(/The page +http/);
      expect((await site.end('SIGKILL')).split('\n').at(-1)).toContain('"msg":"stopped"');
    },
  );

  test('takes over other settings and another page, and goes on if .env is broken', async () => {
    copyProject(folder);
    await pretendToBuild();
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
    expect(await (await fetch(url)).text()).toContain('Home');

    env('CONTACT_EMAIL=nobody@example.org\nWORDS_DIR=./contact.db\n');
    await site.says(/WORDS_DIR[\s\S]*goes on as it was/);

    env('CONTACT_EMAIL=new@example.org\n');
    await site.says(/for new@example\.org/);
    expect(await (await fetch(url)).text()).toContain('new@example.org');

    // As when the desk has built it, or another container of the same volume, from something else.
    writeFileSync(join(folder, 'dist', STAMP), 'other');
    utimesSync(join(folder, 'dist/index.html'), 1, 1);
    await site.says(/(The page +http[\s\S]*){3}/);
    const all = await site.end();
    expect(all.split('\n').at(-1)).toContain('"msg":"stopped"');
    expect(all.match(/"msg":"stopped"/g), 'each of them').toHaveLength(3);
    expect(all.match(/Building the site/g), 'not over what somebody else has built').toHaveLength(1);
  });
});
