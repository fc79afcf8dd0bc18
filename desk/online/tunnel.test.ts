import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { openTestDesk, runDesk } from '../../tests/support/desk/desk-process.ts';
import { ask, openDeskPage } from '../../tests/support/desk/open-desk-page.ts';
import { sshdHere, startSshServer } from '../../tests/support/desk/ssh-server.ts';
import { COMPILED } from '../../tests/support/service/compiled.ts';
import { temporaryFolder } from '../../tests/support/service/open-test-service.ts';

const withServer = test.skipIf(!sshdHere);

async function openServer() {
  const messages = await openTestDesk('sqlite');
  const server = await startSshServer({
    ...COMPILED,
    DATABASE_URL: messages.url,
    MAIL_DIR: join(messages.folder, 'mail'),
    WORDS_DIR: join(messages.folder, 'words'),
    SITE_URL: 'https://www.example.com',
    TIME_ZONE: 'America/Toronto',
    SENTENCES: '{"replyHours":24}',
  });
  return { messages, server };
}

async function openLaptop(env: Record<string, string>) {
  const page = await openDeskPage(temporaryFolder(), { ...env, SITE_URL: 'https://www.example.com' });
  onTestFinished(async () => void (await page.close()));
  const { headers } = await ask(page.link);
  const cookie = headers['set-cookie']?.[0]?.split(';')[0] ?? '';
  const get = (path: string) => ask(page.origin + path, { headers: { cookie } });
  const post = (path: string) =>
    ask(page.origin + path, {
      method: 'POST',
      headers: {
        cookie,
        origin: page.origin,
        'sec-fetch-site': 'same-origin',
        'content-length': '0',
      },
    });
  return { ...page, get, post };
}

withServer('the inbox is the server’s, and settings and words are the laptop’s', async () => {
  const { messages, server } = await openServer();
  const { id } = await messages.add({ name: 'Ana Souza' });
  const { get, post, origin } = await openLaptop(server.env);
  const inbox = await get('/');
  expect(inbox.body).toContain('on the server, www.example.com');
  expect(inbox.body).toContain('Ana Souza');
  expect(inbox.headers['set-cookie']).toBeUndefined();
  expect(inbox.headers['content-security-policy']).toMatch(
    /^default-src 'none';[^,]*frame-ancestors 'none'$/,
  );
  const marked = await post(`/messages/${id}/spam`);
  expect(marked).toMatchObject({ status: 303, headers: { location: `/messages/${id}` } });
  expect((await messages.rows())[0]?.state).toBe('spam');
  expect((await get(`/messages/${id}`)).body).toContain('is marked as spam');
  const sheet = await get('/export/csv');
  expect(sheet.headers['content-disposition']).toMatch(/^attachment; filename="messages-/);
  expect(sheet.body).toContain('Ana Souza');
  for (const path of ['/settings', '/words']) expect((await get(path)).body).toContain('on this laptop');
  for (const path of ['/', '/assets/%2e%2e/', `/assets/../messages/${id}`, '/enter/x'])
    expect((await ask(origin + path, { headers: { origin } })).body).not.toContain('Souza');
});

withServer('a cut is healed by the next click, and both ends of the tunnel end with the desk', async () => {
  const { messages, server } = await openServer();
  await messages.add({ name: 'Ana Souza' });
  const { get, post, kill } = await openLaptop(server.env);
  expect((await get('/')).status).toBe(200);
  await server.stop();
  expect((await post('/messages/0000aaaa/spam')).status).toBe(503);
  expect((await get('/')).body).toContain('Connection refused');
  expect((await get('/settings')).status).toBe(200);
  await server.start();
  expect((await get('/')).body).toContain('Ana Souza');
  expect(server.desks()).toHaveLength(1);
  await kill();
  while (server.desks().length > 0) await wait(20);
});

withServer('a server without the site, and one that asks for a password, are told in words', async () => {
  const { server } = await openServer();
  rmSync(join(server.folder, 'current'), { recursive: true });
  const { get } = await openLaptop(server.env);
  const { status, body } = await get('/');
  expect(status).toBe(503);
  expect(body).toContain('<h1>Your site isn’t online yet.</h1>');
  expect(body).toContain('npm run desk -- --local');
  rmSync(join(server.folder, 'hers.pub'));
  expect((await get('/')).body).toContain('asks for a password or a key');
  const list = await runDesk(temporaryFolder(), ['list'], { env: server.env, input: '' });
  expect(list).toMatchObject({ code: 1, out: '' });
  expect(list.err).toContain('npm run online');
});

withServer('commands run on the server, and nothing that’s typed is in a command line there', async () => {
  const { messages, server } = await openServer();
  await messages.add({ name: 'Ana Souza', email: 'ana@example.org' });
  const folder = temporaryFolder();
  const run = (...args: string[]) => runDesk(folder, args, { env: server.env, input: '' });
  const args = ['list', '--state', "it's $HOME"];
  expect(await run(...args)).toEqual(await messages.run(args));
  expect((await run('list', '--local')).err).toContain('There is no database at');
  expect(await run('export', 'all.csv')).toMatchObject({
    code: 0,
    err: expect.stringMatching(/^1 message written/),
  });
  await messages.run(['export', 'all.csv']);
  expect(readFileSync(join(folder, 'all.csv'))).toEqual(readFileSync(join(messages.folder, 'all.csv')));
  expect(new Set(server.asked())).toEqual(new Set([expect.stringMatching(/on-server\.sh desk asked$/)]));
});

withServer(
  'a backup comes to the laptop whole, the server keeps no copy and knows that it was taken',
  async () => {
    const { messages, server } = await openServer();
    await messages.add();
    const folder = temporaryFolder();
    const made = await runDesk(folder, ['backup', 'site.zip'], { env: server.env, input: '' });
    expect(made).toMatchObject({ code: 0, out: expect.stringContaining('site.zip') });
    expect(made.out).toContain('Copied 1 message');
    expect(statSync(join(folder, 'site.zip')).mode & 0o777).toBe(0o600);
    expect(readdirSync(server.folder).filter((name) => name.startsWith('taken'))).toEqual([]);
    const notes = await messages.database.db.selectFrom('last_done').select('what').execute();
    expect(notes).toContainEqual({ what: 'backup-taken' });
    const restored = await runDesk(temporaryFolder(), ['restore', join(folder, 'site.zip'), '--json'], {
      input: '',
    });
    expect(JSON.parse(restored.out)).toMatchObject({ messages: 1 });
  },
);
