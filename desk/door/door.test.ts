import { once } from 'node:events';
import { chownSync, statSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { DAY, HOUR, MINUTE } from '../../contract/time.ts';
import { listen, type Unhurried } from '../../server/http/listen.ts';
import { describeTime } from '../../server/messages/time.ts';
import { LAPTOP, OWNER, openDoor, SITE } from '../../tests/support/desk/open-door.ts';
import { untilEnd } from '../../tests/support/network/until-end.ts';
import { peer, START, setTime, temporaryFolder } from '../../tests/support/service.ts';
import { openKey } from './links.ts';

test('she asks for a link, gets it by mail, presses its one button, and is where she wanted to be', async () => {
  const { browser, smtp } = await openDoor();
  const her = browser();
  const first = await her.ask('/desk/messages?view=spam');
  expect(first).toMatchObject({ status: 303, location: '/desk?next=%2Fdesk%2Fmessages%3Fview%3Dspam' });
  const { body } = await her.ask(first.location ?? '');
  expect(body.match(/<form/g)).toHaveLength(1);
  const [, action = ''] = /action="([^"]*)"/.exec(body) ?? [];
  const link = await her.getLink(async () => {
    const asked = await her.ask(action, { form: {} });
    expect(asked).toMatchObject({ status: 303, location: '/desk/asked' });
  });
  expect(smtp.received[0]?.to).toEqual([OWNER]);
  expect(link).toMatch(new RegExp(`^${SITE}/desk/in/[\\w-]+$`));

  const scanner = browser();
  for (let look = 0; look < 3; look += 1)
    expect(await scanner.status(link), 'mail scanners and previews use nothing up').toBe(200);
  expect(scanner.cookies.has('__Secure-desk')).toBe(false);
  const page = await her.ask(link);
  expect(page.body.match(/<form/g)).toHaveLength(1);
  expect(page.body).toContain(`action="${new URL(link).pathname}"`);
  const opened = await her.open(link);
  expect(opened).toMatchObject({ status: 303, location: '/desk/messages?view=spam' });
  expect(opened.headers.get('set-cookie')).toMatch(
    /^__Secure-desk=[\w-]{43}; Max-Age=31536000; Path=\/desk; HttpOnly; Secure; SameSite=Lax$/,
  );
  await expect.poll(async () => (await her.ask('/desk')).body).toMatch(/Mail to you<.b> <span>Done/);
});

test('with a static host at the address and a Supabase project for messages, a mailed link leads to the machine with the desk', async () => {
  const { app, smtp } = await openDoor({ VITE_SUPABASE_URL: 'https://abcdefgh.supabase.co' });
  const origin = 'http://localhost:8080';
  const asked = { method: 'POST', headers: { host: 'localhost:8080', origin } };
  await app.request(`${origin}/desk/link`, asked, peer('127.0.0.1'));
  expect((await smtp.receives(1))[0]?.parsed.text).toContain(`${origin}/desk/in/`);
});

test('a link that can’t be made because the database is down isn’t announced', async () => {
  const { browser, database } = await openDoor();
  await database.close();
  expect(await browser().askForLink()).toMatchObject({ status: 503, location: null });
});

test('a button that’s pressed twice, or whose answer is lost, lets her in once, as one device; of all the others, only the first gets in', async () => {
  const { browser, smtp } = await openDoor();
  const her = browser();
  const stranger = browser();
  for (const minutes of [0, 21]) {
    setTime(START + minutes * MINUTE);
    const link = await her.getLink();
    const at = new URL(link).pathname;
    await her.ask(at);
    await stranger.ask(at);
    const before = new Map(her.cookies);
    await her.open(link);
    her.cookies.clear();
    for (const [name, value] of before) her.cookies.set(name, value);
    expect((await her.open(link)).status).toBe(303);
    expect(await her.open(link), 'in another tab').toMatchObject({ status: 303, location: '/desk' });
    expect((await her.ask('/desk/devices')).body.match(/sign-out"/g), 'one, and everywhere').toHaveLength(2);
    expect([await stranger.status(at, { form: {} }), await stranger.status(at)]).toEqual([410, 410]);
  }
  expect(await smtp.receives(3)).toHaveLength(3);
  setTime(START + 42 * MINUTE);
  const link = await her.getLink();
  const answers = await Promise.all(Array.from({ length: 8 }, () => browser().open(link)));
  expect(answers.map(({ status }) => status).sort()).toEqual([303, ...Array(7).fill(410)]);
});

test('the same link is mailed again while it’s good, for as long as it still is; after three an hour or ten a day, strangers get one in three hours, and a device that was in before gets its own', async () => {
  const { browser, signedIn, smtp, stored } = await openDoor();
  setTime(START - 25 * HOUR);
  const her = await signedIn();
  await her.send('/desk/devices/sign-out');
  const links = new Map<string, string | undefined>();
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  // A new one every twenty minutes, and once in between.
  for (let at = 0; at < 24 * HOUR; at += 10 * MINUTE) {
    setTime(START + at);
    if (at > 195 * MINUTE) {
      await browser().askForLink();
      continue;
    }
    const link = await browser().getLink();
    const [, until] = /once, until (.*)\./.exec(smtp.received.at(-1)?.parsed.text ?? '') ?? [];
    expect(until).toBe(links.get(link) ?? describeTime(START + at + 30 * MINUTE, timeZone));
    links.set(link, until);
    expect(links.size, 'the last one is still good when the next may be asked for').toBe(
      Math.floor(at / (20 * MINUTE)) + 1,
    );
  }
  expect(links.size).toBe(10);
  setTime(START + 24 * HOUR);
  await browser().askForLink();
  // After hers and these, six more, each mailed twice
  await smtp.receives(2 + 20 + 2 * 6 + 1);
  expect(await stored('desk_link')).toHaveLength(10 + 6 + 1);
  expect(await her.signIn()).toMatchObject({ status: 303, location: '/desk' });
});

test('a clock that was a year ahead for an hour neither keeps her out afterwards, nor makes a link from then fresh', async () => {
  const { browser, signedIn, smtp } = await openDoor();
  setTime(START + 365 * DAY);
  const early = await signedIn();
  for (const minutes of [20, 40]) {
    setTime(START + 365 * DAY + minutes * MINUTE);
    await browser().askForLink();
  }
  await smtp.receives(4);
  setTime(START);
  expect(await early.status('/desk/messages/export.csv')).toBe(403);
  expect(await browser().signIn()).toMatchObject({ status: 303, location: '/desk' });
});

test('a device stays signed in for 90 days after it was last used, and a year at most', async () => {
  const { signedIn } = await openDoor();
  const her = await signedIn();
  const isIn = async (at: number) => {
    setTime(START + at);
    return (await her.status('/desk/devices')) === 200;
  };
  for (const day of [89, 178, 267, 356]) expect(await isIn(day * DAY), `${day} days`).toBe(true);
  expect(await isIn(366 * DAY)).toBe(false);
  const idle = await signedIn();
  setTime(START + (366 + 91) * DAY);
  expect(await idle.status('/desk/devices')).toBe(303);
});

test('she’s told about each new device, sees them all, and signs out one or all', async () => {
  const { browser, signedIn, smtp } = await openDoor();
  const told = async (mails: number) => (await smtp.receives(mails)).at(-1)?.parsed.text;
  const phone = await signedIn();
  expect(await told(2)).toContain('Safari on an iPhone');
  setTime(START + 25 * MINUTE);
  const laptop = await signedIn(LAPTOP);
  expect(await told(4)).toContain('Firefox on Windows');

  const { body } = await laptop.ask('/desk/devices');
  expect(body).toContain('Safari on an iPhone');
  const [, other = ''] =
    /this one<\/span>.*?devices\/([\w-]+)\/sign-out.*?devices\/([\w-]+)\/sign-out/s
      .exec(body.replace(/^.*?<ul/s, ''))
      ?.slice(1) ?? [];
  await laptop.send(`/desk/devices/${other}/sign-out`);
  expect(await phone.status('/desk/devices')).toBe(303);
  expect(await laptop.status('/desk/devices')).toBe(200);
  await phone.signIn();
  expect(await told(6), 'of one that comes back, too').toContain('iPhone');
  const unused = await browser().getLink();
  await laptop.send('/desk/devices/sign-out');
  expect(await laptop.status('/desk/devices')).toBe(303);
  expect((await browser().open(unused)).status, 'nor by a link of before').toBe(410);
});

test('a form that comes after a sign-out elsewhere is sent again on reload, once she’s back in', async () => {
  const { signedIn } = await openDoor();
  const phone = await signedIn();
  const laptop = await signedIn(LAPTOP);
  const form = { token: await phone.token() };
  await laptop.send('/desk/devices/sign-out');
  const sendAgain = () => phone.ask('/desk/devices/none/sign-out', { form });
  const late = await sendAgain();
  expect([late.status, late.body]).toEqual([403, expect.stringContaining('target="_blank"')]);
  await phone.signIn();
  expect((await sendAgain()).location).toBe('/desk/devices');
});

test('an hour after its link, a device asks for a fresh one before what matters most', async () => {
  const { signedIn, smtp } = await openDoor();
  const her = await signedIn();
  expect(await her.status('/desk/keep/restore')).toBe(200);
  setTime(START + 61 * MINUTE);
  const { status, body } = await her.ask('/desk/keep/restore');
  expect([status, body]).toEqual([403, expect.stringContaining('Is it you?')]);
  expect(await her.status('/desk/messages'), 'the rest goes on').toBe(200);
  await her.signIn();
  expect(await her.status('/desk/keep/restore')).toBe(200);
  expect(smtp.received, 'it isn’t a new device').toHaveLength(3);
});

const FAR = '203.0.113.9';
/** By SITE_URL: the Host that's asked for, from where, the answer, and other headers. */
const PLACES: Record<string, [host: string, from: string, status: number, headers?: HeadersInit][]> = {
  [SITE]: [
    // A web server in front may add the port, and a visitor write it in capitals.
    ['www.blueprint.ca:443', FAR, 200],
    ['WWW.BLUEPRINT.CA', FAR, 200],
    ['www.blueprint.ca:8443', FAR, 404],
    ['www.blueprint.ca.evil.example', FAR, 404],
    ['localhost', FAR, 404],
    // One that doesn't pass on the Host
    ['127.0.0.1:8080', '127.0.0.1', 404, { origin: SITE }],
  ],
  'http://www.blueprint.ca': [
    ['www.blueprint.ca', FAR, 404],
    ['localhost:8080', FAR, 404],
    ['localhost:8080', '127.0.0.1', 404, { 'x-forwarded-for': FAR }],
    // Another name may be a stranger's.
    ['evil.example', '127.0.0.1', 404],
    ['localhost:8080', '::1', 200],
  ],
};

test.each(Object.entries(PLACES))('the desk of %s is only where it’s safe', async (SITE_URL, cases) => {
  const { app } = await openDoor({ SITE_URL });
  for (const [host, from, status, headers] of cases) {
    const asked = { headers: { host, ...headers } };
    const answer = await app.request(`http://${host}/desk`, asked, peer(from));
    const mend = SITE_URL === SITE ? 'pass on the <code>Host</code>' : 'Until SITE_URL is';
    const body = await answer.text();
    expect({ host, status: answer.status }).toEqual({ host, status });
    expect(body).toContain(status === 200 ? 'Send me a link' : mend);
    expect(body).not.toContain('evil');
  }
});

test('a slow request of hers isn’t cut off for its silence, as a stranger’s is', async () => {
  const { browser, signedIn } = await openDoor();
  const [hers, others]: [Unhurried, Unhurried] = [new Socket(), new Socket()];
  await (await signedIn()).ask('/desk/check', { env: { incoming: { socket: hers } } });
  await browser().ask('/desk', { env: { incoming: { socket: others } } });
  expect([hers.timeout, others.timeout]).toEqual([HOUR, undefined]);
  expect([hers.isUnhurried, others.isUnhurried]).toEqual([true, undefined]);
});

test('a form that a proxy forwards in chunks counts like any other', async () => {
  const { app, signedIn } = await openDoor();
  const her = await signedIn();
  const { port } = await untilEnd(listen(app.fetch, { host: '127.0.0.1', port: 0 }));
  const headers = {
    host: new URL(SITE).host,
    origin: SITE,
    cookie: [...her.cookies].map((pair) => pair.join('=')).join('; '),
    'content-type': 'application/x-www-form-urlencoded',
    'transfer-encoding': 'chunked',
  };
  const form = request({ port, method: 'POST', path: '/desk/devices/none/sign-out', headers });
  form.end(`token=${await her.token()}`);
  const [{ statusCode }] = await once(form, 'response');
  expect(statusCode).toBe(303);
});

test('the desk’s key belongs to its folder’s owner, even if root made it, and one that a full disk cut short is replaced', () => {
  const folder = temporaryFolder();
  const uid = process.getuid?.() === 0 ? 65_534 : statSync(folder).uid;
  chownSync(folder, uid, -1);
  const open = () =>
    openKey({ database: { engine: 'sqlite', file: join(folder, 'contact.db') } })('form', '');
  const first = open();
  expect([open(), statSync(join(folder, 'desk.key')).uid]).toEqual([first, uid]);
  writeFileSync(join(folder, 'desk.key'), 'half');
  const second = open();
  expect([open(), second === first]).toEqual([second, false]);
});
