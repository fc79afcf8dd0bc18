import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FIELD_NAMES, FIELDS, HONEYPOT_FIELD, NOT_SENT_PAGE } from '../../contract/contact-message.ts';
import { TOPICS_FIELD, topicLine } from '../../contract/topics.ts';
import {
  formPost,
  KEY,
  MESSAGE,
  openTestService,
  PATH,
  START,
  temporaryFolder,
} from '../../tests/support/service/open-test-service.ts';
import { readForm } from './read-form.ts';
import { loadStaticFiles } from './static-files.ts';

const decode = (text = '') =>
  text.replace(
    /&(amp|lt|gt|quot|#39);/g,
    (_, key: string) => ({ amp: '&', lt: '<', gt: '>', quot: '"' })[key] ?? "'",
  );

/** The topics that come back ticked. */
const ticked = (html: string) =>
  [...html.matchAll(/<input type="checkbox"[^>]* value="([^"]*)" checked>/g)].map(([, title]) =>
    decode(title),
  );

/** What a browser shows in each field, decoded by the HTML standard's rules. */
function shown(html: string): { name: string; email: string; message: string } {
  const value = (name: string) => decode(new RegExp(`name="${name}"[^>]* value="([^"]*)"`).exec(html)?.[1]);
  const area = /<textarea[^>]*>([^<]*)<\/textarea>/
    .exec(html)?.[1]
    ?.replace(/\r\n?/g, '\n')
    .replace(/^\n/, '');
  return { name: value('name'), email: value('email'), message: decode(area) };
}

const KEPT = 'Everything is still here.';

/** A service with a page of the kind that a build makes. */
function withBuiltPage() {
  const folder = join(temporaryFolder(), 'dist');
  mkdirSync(folder);
  const fields = FIELD_NAMES.map((name) =>
    FIELDS[name].multiline
      ? `<textarea name="${name}">%%${name}%%</textarea>`
      : `<input name="${name}" value="%%${name}%%">`,
  ).join('');
  writeFileSync(
    join(folder, NOT_SENT_PAGE),
    `<p>%%kept%%${KEPT}</p><p>%%error%%</p><p>%%topics%%</p><form id="contact-form">${fields}</form>`,
  );
  return openTestService({}, { pages: loadStaticFiles(folder) });
}

function post(type: string, body: string, headers: Record<string, string> = {}): [string, RequestInit] {
  return [PATH, { method: 'POST', headers: { 'content-type': type, ...headers }, body }];
}

test('a form sent without JavaScript is stored, needs no key, and comes back to the page', async () => {
  const { app, store } = await openTestService();
  const response = await app.request(...formPost({ ...MESSAGE, message: 'one\r\ntwo' }));
  expect(response.status).toBe(303);
  expect(response.headers.get('location')).toBe('/#message-sent');
  expect(response.headers.get('x-request-id')).toBeTruthy();
  expect(await store.claim(START, 1)).toMatchObject({ ...MESSAGE, message: 'one\ntwo' });
});

test.each([
  ['its own host', { origin: 'http://localhost' }, '/#message-sent'],
  ['a hidden origin', { origin: 'null' }, '/#message-sent'],
  ['another allowed origin', { origin: 'https://cdn.example' }, 'https://site.example/#message-sent'],
])('a form posted from %s goes back to the page that it came from', async (_, headers, location) => {
  const { app } = await openTestService({ SITE_URL: 'https://site.example' });
  const response = await app.request(...formPost(MESSAGE, headers));
  expect([response.status, response.headers.get('location')]).toEqual([303, location]);
});

test('a hidden origin is taken for the own page only where the browser says so, when there is a list', async () => {
  const { app } = await openTestService({ ALLOWED_ORIGINS: 'https://a.example' });
  for (const [site, status] of [
    ['same-origin', 303],
    ['cross-site', 403],
  ] as const) {
    const headers = { origin: 'null', 'sec-fetch-site': site };
    expect([site, (await app.request(...formPost(MESSAGE, headers))).status]).toEqual([site, status]);
  }
});

test('a form posted from an origin that is not listed is refused with all that was typed', async () => {
  const { app, store } = await openTestService({ ALLOWED_ORIGINS: 'https://cdn.example' });
  const response = await app.request(...formPost(MESSAGE, { origin: 'https://other.example' }));
  expect(response.status).toBe(403);
  expect(shown(await response.text())).toEqual(MESSAGE);
  expect((await store.counts()).waiting).toBe(0);
});

test('a filled honeypot looks like success and is stored as suspected spam', async () => {
  const { app, store } = await openTestService();
  const response = await app.request(...formPost({ ...MESSAGE, [HONEYPOT_FIELD]: 'https://spam.example' }));
  expect([response.status, response.headers.get('location')]).toEqual([303, '/#message-sent']);
  expect(await store.counts()).toMatchObject({ spam: 1, waiting: 0 });
});

test('a faulty form comes back with the fault and with every character that was typed', async () => {
  const { app } = await openTestService();
  const typed = {
    name: '"><script>alert(1)</script> $& $1 %%email%%',
    email: "not 'an' address",
    message: '\n\n  begins with blank lines </textarea> & ends &amp; %%name%%\n\n',
  };
  const response = await app.request(...formPost(typed));
  expect(response.status).toBe(422);
  expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
  const html = await response.text();
  expect(html).toContain(
    '<strong id="email-error">Please enter an e-mail address like name@example.com.</strong>',
  );
  expect(html.match(/name="(\w+)"[^>]* aria-invalid="true"/g)).toEqual([
    expect.stringContaining('name="email"'),
  ]);
  expect(html).not.toContain('<script>alert');
  expect(shown(html)).toEqual(typed);
});

test('a form that cannot be stored comes back with all that was typed', async () => {
  const { app, databaseFile } = await openTestService();
  const other = new Database(databaseFile);
  other.exec('drop table contact_message');
  other.close();
  const response = await app.request(...formPost(MESSAGE));
  expect([response.status, response.headers.get('retry-after')]).toEqual([503, '30']);
  const html = await response.text();
  expect(html).toContain('could not be saved');
  expect(shown(html)).toEqual(MESSAGE);
});

test('the longest message in a script that form encoding triples still fits', async () => {
  const { app } = await openTestService();
  expect((await app.request(...formPost({ ...MESSAGE, message: '流'.repeat(10_000) }))).status).toBe(303);
});

test('a form over 64 KiB comes back with all that was typed, as long as it is read at all', async () => {
  const { app } = await openTestService();
  const typed = { ...MESSAGE, message: 'x'.repeat(64 * 1024) };
  const response = await app.request(...formPost(typed));
  expect(response.status).toBe(413);
  expect(shown(await response.text())).toEqual(typed);
  const huge = await app.request(...formPost({ ...MESSAGE, message: 'x'.repeat(300_000) }));
  expect(huge.status).toBe(413);
  expect(await huge.text()).toContain('back button');
});

test('what cannot be read at all is in the browser, and the page does not say that it holds it', async () => {
  const { app } = await withBuiltPage();
  const huge = formPost({ ...MESSAGE, message: 'x'.repeat(200_000) });
  const broken = post('multipart/form-data; boundary=there-is-none', 'name=Ana');
  const packed = formPost(MESSAGE, { 'content-encoding': 'gzip' });
  for (const [request, status] of [
    [huge, 413],
    [broken, 400],
    [packed, 415],
  ] as const) {
    const response = await app.request(...request);
    const html = await response.text();
    expect([response.status, shown(html)]).toEqual([status, { name: '', email: '', message: '' }]);
    expect(html).toContain('back button');
    expect(html).not.toContain(KEPT);
  }
  const kept = await app.request(...formPost({ ...MESSAGE, email: 'nobody' }));
  expect(await kept.text()).toContain(`<p>${KEPT}</p>`);
});

describe('what was ticked', () => {
  const topics = ['Manual spreadsheet updates', 'Repeated pick/pack/order errors'];
  const withTicks = (titles: readonly string[], fields: Record<string, string> = MESSAGE) =>
    post(
      'application/x-www-form-urlencoded',
      new URLSearchParams([
        ...Object.entries(fields),
        ...titles.map((title) => [TOPICS_FIELD, title]),
      ]).toString(),
    );

  test('is the first line of the message, as with JavaScript', async () => {
    const { app, store } = await openTestService();
    expect((await app.request(...withTicks(topics))).status).toBe(303);
    const stored = await store.claim(START, 1);
    expect(stored?.message).toBe(topicLine('About', topics) + MESSAGE.message);
  });

  test('comes back ticked if the message is refused, and the message without that line', async () => {
    for (const open of [openTestService, withBuiltPage]) {
      const { app } = await open();
      const response = await app.request(...withTicks(topics, { ...MESSAGE, email: 'nobody' }));
      const html = await response.text();
      expect([response.status, ticked(html)]).toEqual([422, topics]);
      expect(shown(html)).toEqual({ ...MESSAGE, email: 'nobody' });
      expect(html.match(/form="contact-form"/g)).toHaveLength(2);
      expect(html).toContain('id="contact-form"');
      expect(html.match(/<label dir="auto">/g)).toHaveLength(2);
    }
  });

  test('does not count towards the limit, and is no message', async () => {
    const { app } = await openTestService();
    const five = [...topics, 'a', 'b', 'c'];
    expect((await app.request(...withTicks(five, { ...MESSAGE, message: 'x'.repeat(10_000) }))).status).toBe(
      303,
    );
    for (const message of ['x'.repeat(10_001), ' \n\u2800']) {
      const response = await app.request(...withTicks(five, { ...MESSAGE, message }));
      const html = await response.text();
      expect([response.status, ticked(html)]).toEqual([422, five]);
      expect(html).toMatch(/name="message"[^>]* aria-invalid="true"/);
    }
  });

  test('is bounded, cleaned and escaped, whoever sends it', async () => {
    const { app, store } = await openTestService();
    const hostile = [
      '"><script>alert(1)</script>',
      '%%email%%\r\nBcc: x',
      '',
      'same',
      'same',
      ...Array(99).keys(),
    ].map(String);
    const refused = await app.request(...withTicks(hostile, { ...MESSAGE, email: 'nobody' }));
    const html = await refused.text();
    expect(html).not.toContain('<script>alert');
    expect(ticked(html).slice(0, 3)).toEqual([hostile[0], '%%email%% Bcc: x', 'same']);
    expect(ticked(html).length).toBeLessThan(21);
    expect(
      (
        await app.request(
          ...withTicks(
            Array(20)
              .fill(0)
              .map((_, at) => `${at}${'y'.repeat(999)}`),
          ),
        )
      ).status,
    ).toBe(303);
    const stored = await store.claim(START, 1);
    expect(stored?.message.indexOf('\n')).toBeLessThan(1_000);
    expect(stored?.message).toMatch(new RegExp(`\n${MESSAGE.message}$`));
  });
});

describe('a form in another charset', () => {
  const URLENCODED = 'application/x-www-form-urlencoded';
  const body = (name: string, message = 'na%EFve') =>
    `name=${name}&email=ana%40example.org&message=${message}`;

  test.each([
    [`${URLENCODED}; charset=windows-1252`, 'Ren%E9+%80', 'René €', 'naïve'],
    [`${URLENCODED};CHARSET="ISO-8859-1"`, 'Ren%E9', 'René', 'naïve'],
    [URLENCODED, 'Ren%E9%85', 'René…', 'naïve'],
    [`${URLENCODED}; charset=utf-8`, 'Ren%E9', 'René', 'naïve'],
    [`${URLENCODED}; charset=koi8-r`, '%F7%C5%D2%C1', 'Вера', 'naОve'],
    // Bytes that aren't what they're said to be
    [`${URLENCODED}; charset=shift_jis`, 'Ren%E9', 'René', 'naïve'],
  ])('is decoded: %s, %s', async (type, typed, name, message) => {
    const { app, store } = await openTestService();
    expect((await app.request(...post(type, body(typed)))).status).toBe(303);
    expect(await store.claim(START, 1)).toMatchObject({ name, message });
  });

  test('may be named in the field that browsers fill in for that', async () => {
    const { app, store } = await openTestService();
    await app.request(...post(URLENCODED, body('%F7%C5%D2%C1', 'x&_charset_=koi8-r')));
    expect(await store.claim(START, 1)).toMatchObject({ name: 'Вера' });
  });

  test('in UTF-8, bytes may stand for themselves, and a % and a + for the sign', async () => {
    const { app, store } = await openTestService();
    await app.request(...post(URLENCODED, 'name=René+%2B+50%&email=ana@example.org&message=a%3Db=c%26&&x'));
    expect(await store.claim(START, 1)).toMatchObject({ name: 'René + 50%', message: 'a=b=c&' });
  });

  test('in UTF-8, whatever was typed arrives as a browser sends it', async () => {
    const pairs = fc.array(fc.tuple(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'binary' })));
    await fc.assert(
      fc.asyncProperty(pairs, async (typed) => {
        const sent = new URLSearchParams(typed);
        const read = await readForm(
          Buffer.from(sent.toString()),
          new Headers({ 'content-type': URLENCODED }),
        );
        expect([...(read?.fields ?? [])].filter(([name]) => name !== '_charset_')).toEqual(
          sent.size > 0 ? [...sent] : [['', '']],
        );
      }),
    );
  });

  test.each(['klingon', 'utf-16', 'utf-7'])(
    'that nobody knows comes back as far as it can be read: %s',
    async (charset) => {
      const { app, store } = await openTestService();
      const response = await app.request(...post(`${URLENCODED}; charset=${charset}`, body('Ren%E9')));
      expect(response.status).toBe(415);
      expect(shown(await response.text())).toEqual({ ...MESSAGE, name: 'René', message: 'naïve' });
      expect((await store.counts()).waiting).toBe(0);
    },
  );
});

describe('a form in another encoding', () => {
  test('multipart/form-data is stored, with its ticks and without its files', async () => {
    const { app, store } = await openTestService();
    const form = new FormData();
    for (const [name, value] of Object.entries({ ...MESSAGE, message: 'one\r\nJosé 👩🏽‍🔧' }))
      form.set(name, value);
    form.append(TOPICS_FIELD, 'Stock');
    form.append('photo', new File([Uint8Array.of(0xff, 0, 13, 10)], 'a.jpg'));
    form.append('name', new File(['not a name'], 'name.txt'));
    const response = await app.request(PATH, { method: 'POST', body: form });
    expect([response.status, response.headers.get('location')]).toEqual([303, '/#message-sent']);
    expect(await store.claim(START, 1)).toMatchObject({
      ...MESSAGE,
      message: 'About: Stock\none\nJosé 👩🏽‍🔧',
    });
  });

  test('multipart/form-data in windows-1252 is decoded too', async () => {
    const { app, store } = await openTestService();
    const part = (name: string, value: string) =>
      `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
    const parts = [
      part('name', 'Ren\xe9'),
      part('email', MESSAGE.email),
      part('message', 'na\xefve'),
      '--b--\r\n',
    ];
    const [path, init] = post('multipart/form-data; boundary=b', '');
    await app.request(path, { ...init, body: Buffer.from(parts.join(''), 'latin1') });
    expect(await store.claim(START, 1)).toMatchObject({ name: 'René', message: 'naïve' });
  });

  test('a filled honeypot in it is a filled honeypot, and another website is another website', async () => {
    const { app, store } = await openTestService({ ALLOWED_ORIGINS: 'https://cdn.example' });
    const form = new FormData();
    for (const [name, value] of Object.entries({ ...MESSAGE, [HONEYPOT_FIELD]: 'x' })) form.set(name, value);
    expect((await app.request(PATH, { method: 'POST', body: form })).status).toBe(303);
    expect(await store.counts()).toMatchObject({ spam: 1, waiting: 0 });
    const headers = { origin: 'https://other.example' };
    expect((await app.request(PATH, { method: 'POST', body: form, headers })).status).toBe(403);
  });

  test('text/plain comes back on the page, since nobody can tell for certain what is in it', async () => {
    const { app, store } = await openTestService();
    const message = 'a=b\nname: x\n\nRen\xe9';
    const text = `name=Ana <b>\r\nemail=${MESSAGE.email}\r\nmessage=${message.replaceAll('\n', '\r\n')}\r\ntopics=Stock\r\n`;
    const [path, init] = post('text/plain', '');
    const response = await app.request(path, { ...init, body: Buffer.from(text, 'latin1') });
    expect([response.status, response.headers.get('content-type')]).toEqual([
      415,
      'text/html; charset=utf-8',
    ]);
    const html = await response.text();
    expect(shown(html)).toEqual({ name: 'Ana <b>', email: MESSAGE.email, message: 'a=b\nname: x\n\nRené' });
    expect(ticked(html)).toEqual(['Stock']);
    expect((await store.counts()).waiting).toBe(0);
  });

  test('a call in a wrong type is answered as a call', async () => {
    const { app } = await openTestService();
    for (const [type, headers, status] of [
      ['text/plain;charset=UTF-8', {}, 401],
      ['text/plain', { apikey: KEY }, 415],
      ['multipart/form-data; boundary=b', { authorization: `Bearer ${KEY}` }, 415],
      ['multipart/form-data; boundary=b', { apikey: 'wrong' }, 401],
    ] as const) {
      const response = await app.request(...post(type, JSON.stringify(MESSAGE), headers));
      expect([type, response.status]).toEqual([type, status]);
      expect(await response.json()).toMatchObject({ code: expect.any(String) });
    }
  });
});

test('whatever breaks while a form is taken, all that was typed comes back', async () => {
  const { app, lines, store } = await openTestService();
  store.add = () => Promise.resolve(JSON.parse('null'));
  const response = await app.request(...formPost(MESSAGE));
  expect(response.status).toBe(500);
  expect(shown(await response.text())).toEqual(MESSAGE);
  expect(lines.join('')).toMatch(/unforeseen/);
});
