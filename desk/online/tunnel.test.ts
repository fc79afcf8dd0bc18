import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
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
  const post = (path: string, body = '') =>
    ask(page.origin + path, {
      method: 'POST',
      headers: { cookie, origin: page.origin, 'content-type': 'application/x-www-form-urlencoded' },
      body,
    });
  return { ...page, get, post };
}

withServer('the inbox is the server’s, and settings and words are the laptop’s', async () => {
  const { messages, server } = await openServer();
  const { id } = await messages.add({ name: 'Ana Souza' });
  const { get, post, origin, said } = await openLaptop(server.env);
  const inbox = await get('/');
  console.log(said());
  expect(inbox.body).toContain('on the server, www.example.com');
  expect(inbox.body).toContain('Ana Souza');
  expect(inbox.headers['set-cookie']).toBeUndefined();
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
