import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { ensureProgram, publish } from '../publish/publish.ts';
import { PROJECT_ROOT, readSettings } from '../settings/settings.ts';
import { freePort } from './support/network/free-port.ts';
import { startVisits, submit, watchProcess } from './support/service/server-process.ts';
import { temporaryFolder } from './support/service.ts';
import { copyProject } from './support/site/copy-project.ts';

const { scripts: SCRIPTS } = JSON.parse(readFileSync(join(PROJECT_ROOT, 'package.json'), 'utf8'));

test.each(Object.entries<string>(SCRIPTS))('cmd.exe reads the script %s as a shell does', (_, script) => {
  // There, only " quotes, and these characters act differently than in a shell.
  for (const command of script.split('&&')) expect(command).not.toMatch(/[$`';|<>&^%!()~*\\]/);
});

// Not by a pre-script, which many turn off for all packages, and not by Node itself, or the shell sticks to that one.
test('each script that runs our code first installs what an update has brought', () => {
  for (const script of Object.values<string>(SCRIPTS).filter((script) => /\.ts|biome/.test(script)))
    expect(script).toMatch(/^npm run --silent postinstall /);
});

describe.skipIf(process.platform === 'win32')('npm start in a copy of the project', () => {
  let copy: string;
  beforeAll(async () => {
    await ensureProgram();
    copy = copyProject();
    await publish(readSettings({ WORDS_DIR: join(copy, 'mine') }), join(copy, 'dist'));
  });
  afterAll(() => rmSync(copy, { recursive: true, force: true }));

  /** Runs until `end`, which signals the first program alone, as a service manager may. */
  function start(env: Record<string, string> = {}, command = 'npm start') {
    const data = temporaryFolder();
    const [program = '', ...args] = command.split(' ');
    const child = spawn(program, args, {
      cwd: copy,
      // Its own group, so anything left behind can be killed below.
      detached: true,
      env: {
        PATH: process.env.PATH,
        HOME: process.env.HOME,
        HOST: '127.0.0.1',
        PORT: '0',
        DATABASE_URL: `file:${join(data, 'contact.db')}`,
        MAIL_DIR: join(data, 'mail'),
        ...env,
      },
    });
    const { out, says, exited } = watchProcess(child);
    onTestFinished(async () => {
      spawnSync('kill', ['-KILL', '--', `-${child.pid}`]);
      await exited;
    });
    /** Returns all its output, once the last process that can write there has ended, not just npm. */
    async function end(signal: NodeJS.Signals = 'SIGTERM'): Promise<string> {
      child.kill(signal);
      await exited;
      return out().trimEnd();
    }
    return { says, end };
  }

  test('if what started it is killed, the server shuts down cleanly; an unknown option changes nothing', async () => {
    const site = start({}, `${process.execPath} publish/start.ts --port 80`);
    await site.says(/The page +http/);
    expect((await site.end('SIGKILL')).split('\n').at(-1)).toContain('"msg":"stopped"');
  });

  test('picks up new settings and a new page, carries on if .env is broken, and shuts down cleanly', async () => {
    const port = await freePort();
    const url = `http://127.0.0.1:${port}/`;
    const site = start({ PORT: String(port) });
    await site.says(/The page +http/);
    const env = (text: string) => {
      // In one step, or it's empty for a moment, which is a change too.
      writeFileSync(join(copy, 'unfinished'), text);
      renameSync(join(copy, 'unfinished'), join(copy, '.env'));
    };

    env('LOG_LEVEL=debug\nPORT=1\nTIME_ZONE=Nowhere\n');
    await site.says(/TIME_ZONE +is wrong: "Nowhere"[\s\S]*keeps running as it was/);
    expect(await (await fetch(url)).text()).toContain('hello@example.com');

    env('CONTACT_EMAIL=nobody@example.org\nWORDS_DIR=./dist\n');
    await site.says(/WORDS_DIR[\s\S]*keeps running as it was/);

    const endVisits = startVisits(url);
    env('CONTACT_EMAIL=new@example.org\n');
    await site.says(/for new@example\.org/);
    expect(await (await fetch(url)).text()).toContain('new@example.org');
    expect(await endVisits(), 'visitors wait from one server to the next').toEqual([200]);

    // As while an editor on a full disk saves it: by the defaults, mails would become files.
    rmSync(join(copy, '.env'));
    await site.says(/\.env is gone or empty[\s\S]*keeps running as it was/);
    expect(await (await fetch(url)).text()).toContain('new@example.org');

    const touch = () => utimesSync(join(copy, 'dist/index.html'), 1, Math.random() * 1e9);
    writeFileSync(join(copy, 'dist/_headers'), '  no header\n');
    touch();
    await site.says(/published, but cannot be read/);
    writeFileSync(join(copy, 'dist/_headers'), '');

    // As if the desk, or another container on the same volume, had published something else.
    writeFileSync(join(copy, 'dist/index.html'), '<h1>Another</h1>');
    for (const packed of ['br', 'gz']) rmSync(join(copy, `dist/index.html.${packed}`));
    touch();
    await site.says(/a new page was published, and is shown/);
    expect(await (await fetch(url)).text()).toContain('Another');
    env('CONTACT_EMAIL=newer@example.org\n');
    await site.says(/"msg":"stopped"[\s\S]*"msg":"stopped"/);
    // When one has ended, and the next isn't there yet.
    await wait(250);
    const all = await site.end();
    expect(all.split('\n').at(-1)).toContain('"msg":"stopped"');
    expect(all.match(/"msg":"stopped"/g), 'each of them').toHaveLength(2);
    expect(all.match(/Building the site/g), 'not over what somebody else has built').toHaveLength(1);
  });

  test('with words that can’t be published, the page is served as it was, and the output says what’s wrong', async () => {
    await publish(readSettings({ WORDS_DIR: join(copy, 'mine') }), join(copy, 'dist'));
    mkdirSync(join(copy, 'mine'), { recursive: true });
    writeFileSync(join(copy, 'mine/words.json'), '{"hero": {');
    const site = start();
    await site.says(/page as it was[\s\S]*words\.json, line 1[\s\S]*The page +http/);
    expect(await site.end()).toMatch(/"msg":"stopped".*$/);
  });

  test('ends publishing, which leaves no half-made page', async () => {
    rmSync(join(copy, 'dist'), { recursive: true });
    const site = start();
    await site.says(/Building the site/);
    await site.end();
    expect(existsSync(join(copy, 'dist')), 'it didn’t go on by itself').toBe(false);
  });
});

test('in development, this machine alone sees the page, and a change or a mistake as soon as a file is saved', async () => {
  const copy = copyProject(temporaryFolder());
  const child = spawn(process.execPath, ['publish/dev.ts'], {
    cwd: copy,
    // It listens on this machine alone, whatever HOST says.
    env: { PATH: process.env.PATH, HOST: '0.0.0.0', PORT: '0' },
  });
  const { says } = watchProcess(child);
  const [, port] = await says(/The page +http:\/\/localhost:(\d+)/);
  const url = `http://localhost:${port}`;
  expect(await submit(url, 'Hello')).toBe(200);
  await expect(fetch(`http://127.0.0.2:${port}`)).rejects.toThrow();

  const page = async () => (await fetch(url)).text();
  const save = (words: string) => writeFileSync(join(copy, 'mine/words.json'), words);
  save('{ "hero": { "headline": "Mine" } }');
  await expect.poll(page).toMatch(/<h1[^>]*>Mine/);
  save('{ "hero": {\n  "headline": "" } }');
  await says(/mine\/words\.json, line 2: hero → headline is empty/);
  expect(await page()).toMatch(/<h1[^>]*>Mine/);
});
