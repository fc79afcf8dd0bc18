import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ENGINES, openTestDesk } from '../tests/desk-process.ts';

/** Reads the address as a mail program would. */
function readMailto(address: string) {
  const url = new URL(address);
  const fields = new Map(
    url.search
      .slice(1)
      .split('&')
      .map((pair) => pair.split('=').map(decodeURIComponent) as [string, string]),
  );
  return { to: decodeURIComponent(url.pathname), fields };
}

describe.each(ENGINES)('on %s', (engine) => {
  test('without a desktop the draft is printed, with the message quoted', async () => {
    const { add, run, runJson } = await openTestDesk(engine);
    const { id } = await add({ name: 'Zoë & Co', message: 'One\n\nTwo?' });
    const body = 'Hello Zoë & Co,\n\n\n\nOn Sat, 21 Nov 2026, 06:00, Zoë & Co wrote:\n> One\n> \n> Two?';
    expect(await run(['reply', id], { env: { SITE_URL: 'https://www.example.com' } })).toEqual({
      code: 0,
      out: `To:      ana@example.org\nSubject: Re: Your message on www.example.com\n\n${body}\n`,
      err: 'Once it’s sent: npm run desk answered 00000001\n',
    });
    const draft = (await runJson(['reply', id])) as { mailto: string };
    expect(draft).toEqual({
      to: 'ana@example.org',
      subject: 'Re: Your message',
      body,
      mailto: expect.stringMatching(/^mailto:ana%?.*/),
      shortened: false,
    });
    const { to, fields } = readMailto(draft.mailto);
    expect(to).toBe('ana@example.org');
    expect([...fields.keys()]).toEqual(['subject', 'body']);
    expect(fields.get('body')).toBe(body.replaceAll('\n', '\r\n'));
  });
});

test('what a visitor typed cannot add a recipient or a field, and a long quote is cut between characters', async () => {
  const { add, runJson } = await openTestDesk('sqlite');
  const { id } = await add({
    name: 'Eve&bcc=all@example.org?cc=x',
    email: "o'hara+a&b=c?d@example.org",
    message: '👩🏽‍🔧&to=x@example.org '.repeat(400),
  });
  const draft = (await runJson(['reply', id])) as { mailto: string; body: string; shortened: boolean };
  expect(draft.shortened).toBe(true);
  expect(draft.mailto.length).toBeLessThanOrEqual(1_900);
  expect(draft.mailto.length).toBeGreaterThan(1_800);
  const { to, fields } = readMailto(draft.mailto);
  expect(to).toBe("o'hara+a&b=c?d@example.org");
  expect([...fields.keys()]).toEqual(['subject', 'body']);
  expect(fields.get('body')).toMatch(/ \[…\]$/);
  expect(draft.body.replaceAll('\n', '\r\n').startsWith(fields.get('body')?.slice(0, -4) ?? 'x')).toBe(true);
});

test('on a desktop the mail program gets the draft, and where there is none the draft is printed', async () => {
  const { add, run, folder } = await openTestDesk('sqlite');
  const { id } = await add();
  const program = join(folder, 'mail-program');
  writeFileSync(program, `#!/bin/sh\nprintf '%s' "$1" > '${folder}/address'\n`);
  chmodSync(program, 0o700);
  // What the system's opener falls back to without a desktop.
  const desktop = { DISPLAY: ':99', BROWSER: program, HOME: folder };
  expect(await run(['reply', id], { env: desktop })).toEqual({
    code: 0,
    out: 'Your mail program has the draft to ana@example.org.\n',
    err: 'Once it’s sent: npm run desk answered 00000001\n',
  });
  expect(readMailto(readFileSync(join(folder, 'address'), 'utf8')).to).toBe('ana@example.org');
  expect((await run(['reply', id, '--print'], { env: desktop })).out).toMatch(/^To: {6}ana@example\.org\n/);
  const over = await run(['reply', id], { env: { ...desktop, SSH_CONNECTION: '::1 1 ::1 2' } });
  expect(over.out).toMatch(/^To: {6}ana@example\.org\n/);
  writeFileSync(program, '#!/bin/sh\nexit 3\n');
  expect((await run(['reply', id], { env: desktop })).out).toMatch(/^To: {6}ana@example\.org\n/);
});
