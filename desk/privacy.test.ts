import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { FIELD_NAMES } from '../contract/contact.ts';
import { labelOf } from '../messages/fields.ts';
import { readSettings } from '../settings/settings.ts';
import { runDesk } from '../tests/desk-process.ts';
import { START, temporaryFolder } from '../tests/open-test-service.ts';
import { draftPolicy } from './privacy.ts';

const PAGE = { business: 'Rivera Ops', founder: 'Sam Rivera', notice: '', language: 'en-CA' };

const policy = (env: Record<string, string> = {}) =>
  draftPolicy(readSettings({ TIME_ZONE: 'America/Toronto', ...env }), PAGE, START).markdown;

test('the draft says on top what it is, and lists each fact in brackets that only the owner knows', async () => {
  const folder = temporaryFolder();
  const env = { CONTACT_EMAIL: 'sam@rivera.example' };
  const { code, out, err } = await runDesk(folder, ['privacy'], { env });
  expect({ code, err }).toEqual({ code: 0, err: '' });
  const [head = '', ...body] = out.split('\n\n## ');
  expect(head).toMatch(
    /^# Privacy policy of Blueprint Operations\n\n> \*\*This is a draft\.\*\*.* a lawyer check it/,
  );
  expect(head).toMatch(
    /The notice by your form says: “I keep your name, e-mail address and message to answer you/,
  );
  const text = `${head.split('\n\n').slice(2)} ${body}`;
  const brackets = [...text.matchAll(/\[([^\]]+)\]/g)].map(([, fact = '']) => fact);
  expect(brackets).toEqual(expect.arrayContaining(['your name', 'your postal address']));
  for (const fact of brackets) expect(head).toContain(`\n> - ${fact}\n`);
  expect(text).toContain('sam@rivera.example');

  const { out: asJson } = await runDesk(folder, ['privacy', '--json'], { env });
  const { toFillIn, markdown } = JSON.parse(asJson);
  expect(markdown).toBe(out);
  expect(new Set(toFillIn)).toEqual(new Set(brackets));
});

test('it names the business, the person and every field of the form', () => {
  const text = policy({ SITE_URL: 'https://www.rivera.example', CONTACT_EMAIL: 'sam@rivera.example' });
  expect(text).toContain('Sam Rivera, [your title, such as owner], is the person in charge');
  expect(text).toContain('at Rivera Ops. For every question and request: sam@rivera.example');
  expect(text).toContain('the form on https://www.rivera.example, I receive');
  for (const field of FIELD_NAMES) expect(text).toContain(labelOf(field).toLowerCase());
  for (const right of ['PIPEDA', 'Law 25', 'GDPR', '30 days']) expect(text).toContain(right);
  expect(text).toContain('November 21, 2026');
});

test('it takes the owner’s own words, into a file that is not written over', async () => {
  const folder = temporaryFolder();
  const WORDS_DIR = join(folder, 'mine');
  mkdirSync(WORDS_DIR);
  writeFileSync(join(WORDS_DIR, 'business.ts'), "export const brand = { name: 'Atelier Rivera' };\n");
  writeFileSync(join(WORDS_DIR, 'site.ts'), "export const site = { language: 'fr-CA' };\n");
  const file = join(folder, 'privacy.md');
  const { code, out, err } = await runDesk(folder, ['privacy', file], { env: { WORDS_DIR } });
  expect({ code, out }).toEqual({ code: 0, out: '' });
  expect(err).toContain(`The draft is in ${file}`);
  const text = readFileSync(file, 'utf8');
  expect(text).toContain('# Privacy policy of Atelier Rivera\n');
  expect(text).toContain('Your page is in another language (fr-CA)');
  expect(await runDesk(folder, ['privacy', file])).toMatchObject({
    code: 1,
    err: expect.stringMatching(/is already there/),
  });
  writeFileSync(join(WORDS_DIR, 'business.ts'), 'export const brand = {{');
  expect(await runDesk(folder, ['privacy'], { env: { WORDS_DIR } })).toMatchObject({
    code: 1,
    err: expect.stringMatching(/^business\.ts cannot be read/),
  });
});

test.each([
  ['a file', {}, /The database with your message is a file on that server\./, /server’s memory/],
  [
    'a Postgres of one’s own',
    { DATABASE_URL: 'postgres://u:p@10.0.0.5/contact' },
    /is on that server or in its own network\./,
    /in the database, and forgets it within 2 hours/,
  ],
  [
    'a Postgres elsewhere',
    { DATABASE_URL: 'postgres://u:secret@db.abc.example:6543/postgres' },
    /is at db\.abc\.example \[the company behind db\.abc\.example, and the province or country\]\./,
    /in the database, and forgets/,
  ],
])('it says where messages are: %s', (_, env, place, addresses) => {
  const text = policy(env);
  expect(text).toMatch(place);
  expect(text).toMatch(addresses);
  expect(text).not.toMatch(/secret|6543/);
});

test.each([
  ['files', {}, /It’s written to a file in data\/mail on that server\./],
  [
    'a mail server',
    { SMTP_URL: 'smtps://user:secret@smtp.mail.example:465' },
    /It goes through smtp\.mail\.example \[the company behind/,
  ],
  ['a mail server next door', { SMTP_URL: 'smtp://localhost:25' }, /through a mail server of my own\./],
])('it says who carries the mail: %s', (_, env, carrier) => {
  const text = policy(env);
  expect(text).toMatch(carrier);
  expect(text).not.toContain('secret');
});

test('it says whether a program looks into the mailbox', () => {
  expect(policy()).not.toContain('looks into it');
  const text = policy({ IMAP_URL: 'imaps://me:secret@imap.example.org' });
  expect(text).toContain('The site looks into it by program');
  expect(text).not.toContain('secret');
});

test('it says how long messages are kept, or that there is no period', () => {
  expect(policy()).toContain('There is no fixed period');
  const text = policy({ RETENTION_DAYS: '365' });
  expect(text).toContain('is erased from the database 365 days after it came,');
  expect(text).not.toContain('fixed period');
});

test('it says whether visits are counted, and what the log holds', () => {
  const SUPABASE = { VITE_SUPABASE_URL: 'https://abc.supabase.co' };
  expect(policy()).toContain('It counts how often it’s opened');
  expect(policy({ COUNT_VISITS: 'off' })).toContain('It doesn’t count visits.');
  expect(policy(SUPABASE)).toContain('It doesn’t count visits.');
  expect(policy(SUPABASE)).toContain('straight to a program at abc.supabase.co [');
  expect(policy()).toContain('The server’s log says what was requested');
  expect(policy({ LOG_LEVEL: 'silent' })).toContain('The server keeps no log.');
});
