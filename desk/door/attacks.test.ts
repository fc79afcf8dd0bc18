import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ReadableStream } from 'node:stream/web';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { DAY, HOUR, MINUTE } from '../../contract/time.ts';
import { inLongRun } from '../../tests/long.ts';
import { idOf, insertRows } from '../../tests/support/database/message-rows.ts';
import { OWNER, openDoor, SITE } from '../../tests/support/desk/open-door.ts';
import { START, setTime, temporaryFolder } from '../../tests/support/service.ts';

const pathOf = (link: string) => new URL(link).pathname;

test('a link that was replayed, guessed, altered, too old or mailed to a former address opens nothing', async () => {
  const { browser, database, links, signedIn } = await openDoor();
  const her = await signedIn();
  const [used = ''] = links();
  setTime(START + 21 * MINUTE);
  const fresh = await browser().getLink();
  const formToken = await her.token();
  const path = pathOf(fresh);
  const altered = path.slice(0, -1) + (path.endsWith('A') ? 'B' : 'A');
  const begun = path.slice(0, '/desk/in/'.length + 12);
  const guessed = ['A'.repeat(55), formToken].map((token) => `/desk/in/${token}`);
  const others = [pathOf(used), altered, path.slice(0, -1), begun, begun + formToken, ...guessed];
  const thief = browser();
  for (const other of others) {
    expect(await thief.status(other), other).toBe(410);
    expect(await thief.status(other, { form: {} }), other).toBe(410);
  }
  const mailedTo = (address: string) => sql`update desk_link set mailed_to = ${address}`.execute(database.db);
  await mailedTo('former@blueprint.ca');
  expect((await thief.open(fresh)).status).toBe(410);
  await mailedTo(OWNER);
  setTime(START + 51 * MINUTE);
  expect((await thief.open(fresh)).status, 'half an hour later').toBe(410);
  setTime(START - DAY);
  expect((await thief.open(fresh)).status, 'by a clock that was set back').toBe(410);
  expect([...thief.cookies]).toEqual([]);
});

test('ten thousand requests cost her three mails at a time, and nobody waits for them', async () => {
  const { browser, stored, smtp } = await openDoor();
  const thief = browser();
  smtp.hangAtContent();
  for (let asked = 0; asked < inLongRun(10_000, 1_000); asked += 100) {
    const answers = await Promise.all(Array.from({ length: 100 }, () => thief.askForLink()));
    for (const { status, location } of answers)
      expect({ status, location }).toEqual({ status: 303, location: '/desk/asked' });
  }
  expect(await stored('desk_link')).toEqual([expect.objectContaining({ mails: 1 })]);
  await expect.poll(smtp.holding).toBe(1);
  smtp.acceptAll();
  for (const minutes of [2, 4, 6, 8]) {
    setTime(START + minutes * MINUTE);
    await thief.askForLink();
  }
  await smtp.receives(3);
  await thief.askForLink();
  expect(smtp.received).toHaveLength(3);
});

test('where mails are written to a folder, none has a link', async () => {
  const { browser, settings } = await openDoor({ SMTP_URL: '' });
  expect((await browser().ask('/desk')).body, 'no button that can’t').not.toContain('<button');
  const { location } = await browser().askForLink();
  expect((await browser().ask(location ?? '')).body).toContain('npm run desk');
  expect(readdirSync(join(settings.mailDir, '..'))).not.toContain('mail');
});

test('a cookie that somebody else has set or knows opens nothing after she has signed in', async () => {
  const { browser, stored } = await openDoor();
  const her = browser();
  her.cookies.set('__Secure-desk', 'fixed');
  await her.signIn();
  const first = her.cookies.get('__Secure-desk') ?? '';
  expect(first).not.toBe('fixed');
  setTime(START + 21 * MINUTE);
  await her.signIn();
  const thief = browser();
  for (const cookie of ['fixed', first]) {
    thief.cookies.set('__Secure-desk', cookie);
    expect(await thief.status('/desk/devices')).toBe(303);
  }
  const devices = await stored('desk_device');
  expect(devices).toHaveLength(1);
  expect(JSON.stringify(devices)).not.toContain(her.cookies.get('__Secure-desk'));
});

test('whatever a stranger sends, her mail leads to the site itself, and signing in only below /desk', async () => {
  const { browser } = await openDoor();
  const headers = {
    'x-forwarded-host': 'evil.example',
    'x-forwarded-proto': 'http',
    forwarded: 'host=evil.example',
    'x-forwarded-for': '127.0.0.1',
  };
  const elsewhere = [
    ...['https://evil.example', '//evil.example', '/desk/..//evil.example', '/desk/../../evil', '/deskevil'],
    ...['/\\evil.example/desk', 'javascript:alert(1)', '/desk\\..\\..\\\\evil.example'],
  ];
  for (const [day, next] of elsewhere.entries()) {
    setTime(START + day * DAY);
    const her = browser();
    const path = `/desk/link?next=${encodeURIComponent(next)}`;
    const link = await her.getLink(() => her.ask(path, { form: {}, headers }));
    expect(link).toContain(`${SITE}/desk/in/`);
    const { location } = await her.open(link);
    expect({ next, location }).toEqual({ next, location: '/desk' });
  }
});

test('a form counts only from the desk itself, with the token of the device that sends it', async () => {
  const { signedIn, database } = await openDoor();
  await insertRows(database, [{ state: 'sent', sent_at: START }]);
  const her = await signedIn();
  setTime(START + 21 * MINUTE);
  const other = await signedIn();
  const token = await her.token();
  const spam = (headers: Record<string, string>, form: Record<string, string> = { token }) =>
    her.status(`/desk/messages/${idOf(0)}/spam`, { form, headers });
  for (const headers of [
    { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
    { origin: 'https://blueprint.ca', 'sec-fetch-site': 'same-site' },
    { origin: 'http://www.blueprint.ca' },
    { origin: 'null' },
    { origin: '' },
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'none' },
  ])
    expect(await spam(headers), JSON.stringify(headers)).toBe(403);
  for (const wrong of [undefined, '', 'undefined', await other.token()])
    expect(await spam({}, wrong === undefined ? {} : { token: wrong }), wrong).toBe(403);
  const headers = { origin: 'https://evil.example' };
  for (const path of ['/desk/link', '/desk/in/x', '/desk/devices/sign-out'])
    expect(await her.status(path, { form: { token }, headers })).toBe(403);
  const byHttp = await her.ask('/desk/link', { form: {}, headers: { origin: 'http://www.blueprint.ca' } });
  expect(byHttp.body, 'where she gets on').toContain(`href="${SITE}/desk"`);
  const state = () => database.db.selectFrom('contact_message').select('state').executeTakeFirstOrThrow();
  expect(await state()).toEqual({ state: 'sent' });
  // An image or a link on another page asks for it with GET.
  for (const path of [`/desk/messages/${idOf(0)}/spam`, '/desk/devices/sign-out', '/desk/link'])
    expect(await her.status(path, { headers: { 'sec-fetch-site': 'cross-site' } })).toBe(404);
  expect(await state()).toEqual({ state: 'sent' });
  expect(await her.status('/desk/devices')).toBe(200);
  expect(await spam({ 'sec-fetch-site': 'same-origin' })).toBe(303);
  expect(await state()).toEqual({ state: 'spam' });
});

test('no page can be framed, kept, read by another, or run anything', async () => {
  const { signedIn, browser } = await openDoor();
  const her = await signedIn();
  for (const answer of [
    await her.ask('/desk/messages'),
    await her.ask('/desk/nowhere'),
    await browser().ask('/desk'),
    await browser().ask('/desk/in/x'),
  ]) {
    const headers = Object.fromEntries(answer.headers);
    expect(headers).toMatchObject({
      'x-frame-options': 'DENY',
      'cache-control': 'no-store, no-transform',
      'referrer-policy': 'same-origin',
      'x-content-type-options': 'nosniff',
      'x-robots-tag': 'noindex',
      'cross-origin-resource-policy': 'same-origin',
      'cross-origin-opener-policy': 'same-origin',
    });
    expect(headers).not.toHaveProperty('access-control-allow-origin');
    expect(headers['content-security-policy']).toMatch(/^default-src 'none';.*frame-ancestors 'none'$/);
    expect(headers['content-security-policy']).not.toMatch(/script|unsafe|http|\*/);
  }
});

test('nothing that’s sent is read without a signed-in device, its token and, for a backup, a fresh link', async () => {
  const { browser, signedIn, lines } = await openDoor();
  const send = async (who: ReturnType<typeof browser>, path: string, type: string) => {
    let read = 0;
    async function* pieces() {
      while (read < 100) {
        read += 1;
        yield new Uint8Array(1000);
      }
    }
    const body = ReadableStream.from(pieces()) as BodyInit;
    const status = await who.status(path, { body, headers: { 'content-type': type } });
    return { status, read };
  };
  const file = 'application/octet-stream';
  const photo = '/desk/words/draft/photo';
  const look = '/desk/keep/restore/look';
  const her = await signedIn();
  const token = await her.token();
  for (const type of ['multipart/form-data; boundary=x', 'Application/X-WWW-Form-Urlencoded', file]) {
    expect(await send(browser(), '/desk/link', type)).toEqual({ status: 303, read: 0 });
    expect(await send(browser(), '/desk/in/x', type)).toEqual({ status: 410, read: 0 });
    for (const path of [photo, look])
      expect(await send(browser(), `${path}?token=${token}`, type)).toEqual({ status: 403, read: 0 });
  }
  for (const path of [photo, `${look}?token=another`])
    expect(await send(her, path, file), path).toEqual({ status: 403, read: 0 });
  const { status } = await her.send('/desk/settings', { SITE_URL: 'a'.repeat(1_000_000) });
  expect(status, 'nor a form without end').toBe(413);
  setTime(START + 2 * HOUR);
  expect(await send(her, `${look}?token=${token}`, file)).toEqual({ status: 403, read: 0 });
  expect(lines.join('\n')).not.toContain('nobody can be let in');
});

test('no log line has a link, a cookie, a token or a word of hers, even about a mail that wasn’t taken or an unforeseen error', async () => {
  const WORDS_DIR = temporaryFolder();
  const { browser, links, smtp, lines, settings, signedIn } = await openDoor({ WORDS_DIR });
  const her = await signedIn();
  writeFileSync(join(WORDS_DIR, 'draft.json'), '{"entries": ["secret words"]}');
  const { status, body } = await her.ask('/desk/words/draft/state');
  expect([status, JSON.parse(body)]).toEqual([500, { error: expect.stringContaining('log says more') }]);
  expect(lines.join('')).toContain('TypeError');
  setTime(START + 21 * MINUTE);
  smtp.failAt('content', 554);
  await browser().askForLink();
  await expect.poll(() => lines.some((line) => line.includes('was not accepted'))).toBe(true);
  await browser().ask('/desk/in/guessed', { form: {} });
  const [, , , linkToken] = pathOf(links()[0] ?? '').split('/');
  const secrets = [linkToken, her.cookies.get('__Secure-desk'), await her.token()];
  const file = settings.database.engine === 'sqlite' ? settings.database.file : '';
  const key = readFileSync(join(file, '../desk.key'), 'utf8');
  for (const secret of [...secrets, key, '/desk/in/', 'secret words']) {
    expect(secret).toMatch(/.{9}/);
    expect(lines.join('\n')).not.toContain(secret);
  }
});
