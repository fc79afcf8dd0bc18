import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { PROJECT_ROOT } from '../../settings/settings.ts';
import { runDesk } from '../../tests/support/desk/desk-process.ts';
import { cookieFor, openDeskInCopy } from '../../tests/support/desk/open-desk-page.ts';
import { startSmtpServer } from '../../tests/support/mail/smtp-server.ts';
import { untilEnd } from '../../tests/support/network/until-end.ts';
import { serverEnvironment } from '../../tests/support/service/node-environment.ts';
import { startServer, watchProcess } from '../../tests/support/service/server-process.ts';
import { temporaryFolder } from '../../tests/support/service.ts';

test('on the machine itself, npm run desk shows a link that the running site takes, once', async () => {
  const { link, newLink, said } = await untilEnd(openDeskInCopy());
  expect(link).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/desk\/in\/[\w-]+$/);
  const cookie = await cookieFor(link);
  expect(cookie, 'Safari drops a secure one where there’s no https').toMatch(/^desk-\d+=[\w-]{43}$/);
  const devices = await fetch(new URL('/desk/devices', link), { headers: { cookie }, redirect: 'manual' });
  expect(devices.status).toBe(200);
  expect(await cookieFor(link)).toBe('');
  expect(await cookieFor(await newLink())).not.toBe('');
  expect(said(), 'nobody reads it in the log').not.toContain('/desk/in/');
});

test('npm start shows a link on a terminal, to this machine if a static host has the public address', async () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'index.html'), '<h1>Home</h1>');
  const command = `${process.execPath} ${join(PROJECT_ROOT, 'server/main.ts')} ${folder}`;
  const terminal = spawn('script', ['-qec', command, '/dev/null'], {
    env: {
      ...serverEnvironment(folder),
      SITE_URL: 'https://www.blueprint.ca',
      VITE_SUPABASE_URL: 'https://abcdefgh.supabase.co',
    },
  });
  const { says, exited } = watchProcess(terminal);
  await says(/Messages +Your form sends its messages to abcdefgh/);
  const [, link = ''] = await says(/Open your desk: (\S+)/);
  expect(await cookieFor(link)).not.toBe('');
  // Ctrl+C, since killing the terminal would leave the server with a folder that's being removed.
  terminal.stdin.write('\x03');
  await exited;
});

test('DESK=off takes it away, and whoever asks for a link is told', async () => {
  const folder = temporaryFolder();
  const { url } = await startServer(folder, { DESK: 'off' });
  for (const path of ['/desk', '/desk/', '/desk/in/x', '/desk/messages', '/desk/assets/desk.css'])
    expect((await fetch(url + path)).status, path).toBe(404);
  const { code, err } = await runDesk(folder, ['open'], { env: { DESK: 'off' } });
  expect(code).toBe(1);
  expect(err).toContain('DESK=off');
});

test('a new address counts once a link mailed there is opened while signed in; the former one is told, and other devices are signed out', async () => {
  const smtp = await untilEnd(startSmtpServer());
  const { copy, link, newLink, origin, address, starts } = await untilEnd(
    openDeskInCopy(`CONTACT_EMAIL=ana@example.org\nMAIL_FROM=site@example.org\nSMTP_URL=${smtp.url}\n`),
  );
  const env = () => readFileSync(join(copy, '.env'), 'utf8');
  const other = await cookieFor(link);
  const her = await cookieFor(await newLink());
  await smtp.receives(2);
  const read = (path: string, cookie: string, init?: RequestInit) =>
    fetch(new URL(path, address), { headers: { cookie, origin }, redirect: 'manual', ...init });
  const send = (path: string, cookie: string, fields: Record<string, string>) =>
    read(path, cookie, { method: 'POST', body: new URLSearchParams(fields) });
  const body = await (await read('/desk/settings', her)).text();
  const [, token = ''] = /name="token" value="([^"]+)"/.exec(body) ?? [];
  const [, was = ''] = /name="was" value="([^"]*)"/.exec(body) ?? [];
  const change = { token, was: was.replaceAll('&quot;', '"'), CONTACT_EMAIL: 'new@example.org' };
  const takeover = await send('/desk/settings', her, { ...change, service: '' });
  expect(takeover.status).toBe(422);
  expect(await takeover.text()).toContain('Change the address first');
  expect(env()).toMatch(/ana@example.org[\s\S]*SMTP_URL=smtp/);
  expect((await send('/desk/settings', her, change)).status).toBe(303);
  const mailed = (await smtp.receives(3)).find(({ to }) => to[0] === 'new@example.org');
  const confirm = /http:\S+\/desk\/in\/\S+/.exec(mailed?.parsed.text ?? '')?.[0] ?? '';
  expect(env()).toContain('ana@example.org');

  // She may have mistyped it, and it's somebody else's.
  expect(await cookieFor(confirm)).toBe('');
  expect(env()).toContain('CONTACT_EMAIL=ana@example.org');

  expect(await (await read(confirm, her)).text()).toContain('new@example.org');
  const unused = await newLink();
  smtp.hangAtContent();
  const opened = send(confirm, her, {});
  await expect.poll(smtp.holding).toBe(1);
  expect(env(), 'before it’s told').toContain('CONTACT_EMAIL=new@example.org');
  smtp.acceptAll();
  const [after = ''] = (await opened).headers.getSetCookie()[0]?.split(';') ?? [];
  const told = (await smtp.receives(4)).at(-1);
  expect(told?.to).toEqual(['ana@example.org']);
  expect(told?.parsed.text).toContain('new@example.org');
  await expect.poll(starts).toBe(2);
  expect((await read('/desk/devices', after)).status).toBe(200);
  for (const cookie of [other, her]) expect((await read('/desk/devices', cookie)).status).toBe(303);
  expect(await cookieFor(unused), 'what was to open it before').toBe('');
  await send('/desk/link', '', {});
  expect((await smtp.receives(5)).at(-1)?.to, 'links go there from now on').toEqual(['new@example.org']);
});
