import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { PROJECT_ROOT } from '../settings/settings.ts';
import { COMPILED } from '../tests/compiled.ts';
import { openTestDesk, runDesk } from '../tests/desk-process.ts';
import { temporaryFolder } from '../tests/open-test-service.ts';
import { createDesk } from './desk.ts';
import { createProgram } from './main.ts';

type NpmRun = { code: number | null; out: string; err: string };

/** What the owner types, run with this machine's npm and without anyone's `.npmrc`. */
function npmRunDesk(folder: string, args: string[], env: Record<string, string> = {}): Promise<NpmRun> {
  const settings = { DATABASE_URL: `file:${join(folder, 'contact.db')}`, MAIL_DIR: join(folder, 'mail') };
  // Skips the pre-script, which checks that everything's installed.
  const child = spawn('npm', ['run', '--silent', '--ignore-scripts', 'desk', ...args], {
    cwd: PROJECT_ROOT,
    env: {
      PATH: process.env.PATH ?? '',
      ...COMPILED,
      HOME: folder,
      npm_config_update_notifier: 'false',
      ...settings,
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let out = '';
  let err = '';
  child.stdout.setEncoding('utf8').on('data', (chunk) => {
    out += chunk;
  });
  child.stderr.setEncoding('utf8').on('data', (chunk) => {
    err += chunk;
  });
  return new Promise((resolve) => void child.on('close', (code) => resolve({ code, out, err })));
}

/** Valid values for options that check theirs. */
const VALUES: Record<string, string> = {
  '--state': 'spam',
  '--since': '7d',
  '--limit': '5',
  '--email': 'ana@example.org',
  '--dns-server': '1.1.1.1',
};
/** npm reads the first as its own -c -s -v, and the second as a prefix of one of its own options. */
const UNNOTICED = ['--csv', '--to'];

test('every option that npm takes for itself is noticed: nothing is done, and how to type it is said', async () => {
  const { folder, add, rows } = await openTestDesk('sqlite');
  await add({ state: 'set_aside' });
  const before = await rows();
  const tried = new Set<string>();
  for (const command of createProgram(createDesk()).commands) {
    const options = command.options.filter(({ long = '' }) => !UNNOTICED.includes(long));
    // Most have --json and nothing else.
    if (options.every(({ long = '' }) => tried.has(long))) continue;
    const words = options.flatMap((option) => {
      const { long = '' } = option;
      tried.add(long);
      return option.isBoolean() ? [long] : [long, VALUES[long] ?? `some${long}`];
    });
    const run = await npmRunDesk(folder, [command.name(), ...words]);
    expect(run.code, command.name()).toBe(2);
    // With --json, npm prints its own JSON to say that the script failed.
    expect(run.out, command.name()).toMatch(/^(\{\s+"error": [^[]*)?$/);
    expect(run.err).toMatch(/^Nothing was done, since npm kept --/);
    const said = /^ {2}npm run desk -- (.*)$/m.exec(run.err)?.[1] ?? '';
    expect(said.split(' ')[0]).toBe(command.name());
    for (const option of options) expect(said).toContain(option.flags);
  }
  expect(tried).toContain('--print');
  expect(await rows()).toEqual(before);
  expect(existsSync(join(folder, 'mail'))).toBe(false);
});

test('what npm is handed in the right way reaches the desk, and so do commands without options', async () => {
  const { folder, add, rows } = await openTestDesk('sqlite');
  await add({ email: 'bo@example.org', name: 'Bo' });
  const { id } = await add({ received_at: Date.UTC(2020, 0, 1), state: 'set_aside' });
  const listed = await npmRunDesk(folder, ['--', 'list', '--json', '--limit', '1']);
  expect({ ...listed, out: JSON.parse(listed.out) }).toMatchObject({ code: 0, out: [{ id }], err: '' });
  expect((await npmRunDesk(folder, ['list'])).out).toContain('Bo');
  expect(await npmRunDesk(folder, ['requeue', 'all'])).toMatchObject({ code: 0 });
  const exported = join(folder, 'messages.csv');
  expect(await npmRunDesk(folder, ['export', exported])).toMatchObject({ code: 0, out: '' });
  expect(existsSync(exported)).toBe(true);
  // There's nobody to ask here, so this gets only as far as the question.
  expect((await npmRunDesk(folder, ['erase', 'bo@example.org'])).err).toContain('Bo <bo@example.org>');
  expect((await npmRunDesk(folder, ['purge', '12', 'months'])).code).toBe(0);
  expect(await rows()).toHaveLength(2);
  // Someone's own npm may be set to say yes to everything, and other programs start the desk too.
  const env = { npm_config_yes: 'true', npm_config_json: 'true' };
  expect(await runDesk(folder, ['stats'], { env })).toMatchObject({ code: 0 });
  const meant = await npmRunDesk(folder, ['--', 'erase', 'bo@example.org', '--yes', '--json'], env);
  expect(meant).toMatchObject({ code: 0, err: '' });
  expect(await rows()).toHaveLength(1);
});

test('a password in an address that npm took is not repeated', async () => {
  const folder = temporaryFolder();
  const args = ['list', '--text', 'postgres://ana:hunter2@db.example/contact'];
  const { code, out, err } = await npmRunDesk(folder, args);
  expect({ code, out }).toEqual({ code: 2, out: '' });
  expect(err).not.toContain('hunter2');
});
