import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { DAY, HOUR, MINUTE } from '../../contract/time.ts';
import { inLongRun } from '../../tests/long.ts';
import { rowAt } from '../../tests/support/database/message-rows.ts';
import { openDoor, SITE } from '../../tests/support/desk/open-door.ts';
import { START, setTime } from '../../tests/support/service/open-test-service.ts';

const pathOf = (link: string) => new URL(link).pathname;

describe('links', () => {
  test('one that was replayed, guessed, altered or too old opens nothing', async () => {
    const { browser, linkIn, signedIn } = await openDoor();
    const her = await signedIn();
    const used = await linkIn(1);
    setTime(START + 21 * MINUTE);
    await browser().askForLink();
    const fresh = await linkIn(3);
    const formToken = await her.token();
    const path = pathOf(fresh);
    const altered = path.slice(0, -1) + (path.endsWith('A') ? 'B' : 'A');
    const others = [
      pathOf(used),
      altered,
      path.slice(0, -1),
      path.slice(0, '/desk/in/'.length + 12),
      `/desk/in/${'A'.repeat(55)}`,
      `/desk/in/${formToken}`,
      `/desk/in/${path.slice('/desk/in/'.length).slice(0, 12)}${formToken}`,
    ];
    const thief = browser();
    for (const other of others) {
      expect((await thief.ask(other)).status, other).toBe(410);
      expect((await thief.ask(other, { form: {} })).status, other).toBe(410);
    }
    setTime(START + 51 * MINUTE);
    expect((await thief.open(fresh)).status, 'half an hour later').toBe(410);
    setTime(START - DAY);
    expect((await thief.open(fresh)).status, 'by a clock that was set back').toBe(410);
    expect([...thief.cookies]).toEqual([]);
  });

  test('of all who press one at the same moment, one is let in; in two tabs of hers, both are', async () => {
    const { browser, linkIn } = await openDoor();
    const her = browser();
    await her.askForLink();
    const link = await linkIn(1);
    const answers = await Promise.all(Array.from({ length: 8 }, () => browser().open(link)));
    expect(answers.map(({ status }) => status).sort()).toEqual([303, ...Array(7).fill(410)]);

    setTime(START + 21 * MINUTE);
    await her.askForLink();
    const next = await linkIn(3);
    await her.open(next);
    expect(await her.open(next)).toMatchObject({ status: 303, location: '/desk' });
  });

  test('ten thousand requests cost her three mails at a time, and nobody waits for them', async () => {
    const { browser, database, smtp } = await openDoor();
    const thief = browser();
    smtp.hangAtContent();
    for (let asked = 0; asked < inLongRun(10_000, 1_000); asked += 100) {
      const answers = await Promise.all(Array.from({ length: 100 }, () => thief.askForLink()));
      for (const { status, location } of answers)
        expect({ status, location }).toEqual({ status: 303, location: '/desk/asked' });
    }
    const rows = await database.db
      .withTables<{ desk_link: { mails: number } }>()
      .selectFrom('desk_link')
      .select('mails')
      .execute();
    expect(rows).toEqual([{ mails: 1 }]);
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
    const { location } = await browser().askForLink();
    expect((await browser().ask(location ?? '')).body).toContain('npm run desk');
    expect(readdirSync(join(settings.mailDir, '..'))).not.toContain('mail');
  });
});

describe('sessions', () => {
  test('a cookie that somebody else has set or knows opens nothing after she has signed in', async () => {
    const { browser, linkIn, database } = await openDoor();
    const her = browser();
    her.cookies.set('__Secure-desk', 'fixed');
    await her.askForLink();
    await her.open(await linkIn(1));
    const first = her.cookies.get('__Secure-desk') ?? '';
    expect(first).not.toBe('fixed');
    setTime(START + 21 * MINUTE);
    await her.askForLink();
    await her.open(await linkIn(3));
    const thief = browser();
    for (const cookie of ['fixed', first]) {
      thief.cookies.set('__Secure-desk', cookie);
      expect((await thief.ask('/desk/devices')).status).toBe(303);
    }
    const stored = await database.db
      .withTables<{ desk_device: object }>()
      .selectFrom('desk_device')
      .selectAll()
      .execute();
    expect(stored).toHaveLength(1);
    expect(JSON.stringify(stored)).not.toContain(her.cookies.get('__Secure-desk'));
  });

  test('after signing in she’s only ever led below /desk', async () => {
    const { browser, linkIn, smtp } = await openDoor();
    const elsewhere = [
      'https://evil.example',
      '//evil.example',
      '/desk/..//evil.example',
      '/desk/../../evil',
      '/deskevil',
      '/\\evil.example/desk',
      'javascript:alert(1)',
      '/desk\\..\\..\\\\evil.example',
    ];
    for (const [index, next] of elsewhere.entries()) {
      setTime(START + index * DAY);
      const her = browser();
      await her.ask(`/desk/link?next=${encodeURIComponent(next)}`, { form: {} });
      const { location } = await her.open(await linkIn(2 * index + 1));
      expect({ next, location }).toEqual({ next, location: '/desk' });
      await smtp.receives(2 * index + 2);
    }
  });
});

describe('forms and requests from elsewhere', () => {
  const STATE = { received_at: START, state: 'sent' } as const;

  test('a form counts only from the desk itself, with the token of the device that sends it', async () => {
    const { signedIn, database } = await openDoor();
    const { id } = rowAt(1, STATE);
    await database.db
      .insertInto('contact_message')
      .values(rowAt(1, { ...STATE, sent_at: START }))
      .execute();
    const her = await signedIn();
    setTime(START + 21 * MINUTE);
    const other = await signedIn();
    const token = await her.token();
    const spam = (headers: Record<string, string>, form: Record<string, string> = { token }) =>
      her.ask(`/desk/messages/${id}/spam`, { form, headers });
    for (const headers of [
      { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
      { origin: 'https://blueprint.ca', 'sec-fetch-site': 'same-site' },
      { origin: 'http://www.blueprint.ca' },
      { origin: 'null' },
      { origin: '' },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'none' },
    ])
      expect((await spam(headers)).status, JSON.stringify(headers)).toBe(403);
    const wrong: Record<string, string>[] = [
      {},
      { token: '' },
      { token: 'undefined' },
      { token: await other.token() },
    ];
    for (const form of wrong) expect((await spam({}, form)).status, JSON.stringify(form)).toBe(403);
    for (const path of ['/desk/link', '/desk/in/x', '/desk/devices/sign-out'])
      expect(
        (await her.ask(path, { form: { token }, headers: { origin: 'https://evil.example' } })).status,
      ).toBe(403);
    const state = () => database.db.selectFrom('contact_message').select('state').executeTakeFirstOrThrow();
    expect(await state()).toEqual({ state: 'sent' });
    // An image or a link on another page asks for it with GET.
    for (const path of [`/desk/messages/${id}/spam`, '/desk/devices/sign-out', '/desk/link'])
      expect((await her.ask(path, { headers: { 'sec-fetch-site': 'cross-site' } })).status).toBe(404);
    expect(await state()).toEqual({ state: 'sent' });
    expect((await her.ask('/desk/devices')).status).toBe(200);
    expect((await spam({ 'sec-fetch-site': 'same-origin' })).status).toBe(303);
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
        'cache-control': 'no-store',
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

  test('a forged proxy header never gets into a mail', async () => {
    const { browser, linkIn } = await openDoor();
    const forged = {
      'x-forwarded-host': 'evil.example',
      'x-forwarded-proto': 'http',
      forwarded: 'host=evil.example',
      'x-forwarded-for': '127.0.0.1',
    };
    await browser().ask('/desk/link', { form: {}, headers: forged });
    expect(await linkIn(1)).toContain(`${SITE}/desk/in/`);
  });

  test('of what somebody sends, nothing is read but with a device that’s in, its token, and a fresh link for a backup', async () => {
    const { browser, signedIn, lines } = await openDoor();
    const send = async (who: ReturnType<typeof browser>, path: string, type: string) => {
      let read = 0;
      const body = new ReadableStream(
        {
          pull(stream) {
            read += 1;
            if (read > 100) stream.close();
            else stream.enqueue(new Uint8Array(1000));
          },
        },
        { highWaterMark: 0 },
      );
      const { status } = await who.ask(path, { body, headers: { 'content-type': type } });
      return { status, read };
    };
    const [file, photo, look] = [
      'application/octet-stream',
      '/desk/words/draft/photo',
      '/desk/keep/restore/look',
    ] as const;
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
});

test('no line of the log has a link, a cookie or a token, even of a mail that wasn’t taken', async () => {
  const { browser, linkIn, smtp, lines, settings, signedIn } = await openDoor();
  const her = await signedIn();
  setTime(START + 21 * MINUTE);
  smtp.failAt('content', 554);
  await browser().askForLink();
  await expect.poll(() => lines.some((line) => line.includes('was not taken'))).toBe(true);
  await browser().ask('/desk/in/guessed', { form: {} });
  const [, , , linkToken] = pathOf(await linkIn(1)).split('/');
  const secrets = [linkToken, her.cookies.get('__Secure-desk'), await her.token()];
  const file = settings.database.engine === 'sqlite' ? settings.database.file : '';
  const key = readFileSync(join(file, '../desk.key'), 'utf8');
  for (const secret of [...secrets, key, '/desk/in/']) {
    expect(secret).toMatch(/.{9}/);
    expect(lines.join('\n')).not.toContain(secret);
  }
});
