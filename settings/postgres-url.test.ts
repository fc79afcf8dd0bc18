import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../tests/support/service/open-test-service.ts';
import { parsePostgresUrl as parse } from './postgres-url.ts';

test('every part of the address is read, and the password is in none that is shown', () => {
  expect(parse('postgresql://ana:p%40ss%2Fword@db.example.com:6543/my%20db?pgbouncer=true')).toEqual({
    host: 'db.example.com',
    port: 6543,
    user: 'ana',
    password: 'p@ss/word',
    database: 'my db',
    ssl: { rejectUnauthorized: false },
    location: 'db.example.com:6543/my db',
  });
  expect(parse('postgres:///contact?host=/run/postgresql&user=ana')).toMatchObject({
    host: '/run/postgresql',
    port: 5432,
    user: 'ana',
    password: undefined,
    ssl: false,
  });
  expect(parse('postgres://ana@[2001:db8::1]/contact')).toMatchObject({
    host: '2001:db8::1',
    location: '[2001:db8::1]:5432/contact',
  });
});

test('without sslmode, only the way to what is near goes unencrypted', () => {
  const encrypted = { ssl: { rejectUnauthorized: false } };
  for (const near of ['localhost', '[fd00::1]', 'db.internal']) {
    expect(parse(`postgres://u:p@${near}/db`)).toMatchObject({ ssl: false });
    expect(parse(`postgres://u:p@${near}/db?sslmode=require`)).toMatchObject(encrypted);
  }
  for (const far of ['db.example.com', '172.32.0.1', '[2001:db8::1]']) {
    expect(parse(`postgres://u:p@${far}/db`)).toMatchObject(encrypted);
    expect(parse(`postgres://u:p@${far}/db?sslmode=disable`)).toMatchObject({ ssl: false });
  }
});

test('verify-full checks the certificate and its name, verify-ca the certificate alone', () => {
  const ca = join(temporaryFolder(), 'ca.pem');
  writeFileSync(ca, 'an authority');
  const url = 'postgres://u:p@db.example.com/db';
  expect(parse(`${url}?sslmode=verify-full`)).toMatchObject({ ssl: { servername: 'db.example.com' } });
  expect(parse(`${url}?sslmode=verify-full`)).not.toHaveProperty('ssl.rejectUnauthorized');
  expect(parse(`${url}?sslmode=verify-full&sslrootcert=system`)).not.toHaveProperty('ssl.ca');
  expect(parse(`${url}?sslmode=verify-full&sslrootcert=${ca}`)).toMatchObject({
    ssl: { ca: 'an authority' },
  });
  for (const mode of ['verify-ca', 'require']) {
    const read = parse(`${url}?sslmode=${mode}&sslrootcert=${ca}`);
    expect(read).toMatchObject({ ssl: { ca: 'an authority', checkServerIdentity: expect.any(Function) } });
    expect(read).not.toHaveProperty('ssl.rejectUnauthorized');
  }
});

test('ssl, as other drivers have it, is as good as sslmode, near and far', () => {
  for (const host of ['localhost', 'db.example.com']) {
    for (const yes of ['true', '1', 'require', 'no-verify']) {
      expect(parse(`postgres://u:p@${host}/db?ssl=${yes}`)).toMatchObject({
        ssl: { rejectUnauthorized: false },
      });
    }
    for (const no of ['false', '0', 'disable'])
      expect(parse(`postgres://u:p@${host}/db?ssl=${no}`)).toMatchObject({ ssl: false });
    expect(parse(`postgres://u:p@${host}/db?ssl=verify-full`)).not.toHaveProperty('ssl.rejectUnauthorized');
    // If both are given, libpq's own parameter wins.
    expect(parse(`postgres://u:p@${host}/db?ssl=true&sslmode=disable`)).toMatchObject({ ssl: false });
  }
  expect(parse('postgres://u:p@localhost/db?ssl=yes')).toMatch(/^has ssl=yes; .*require/);
  expect(parse('postgres://u:p@localhost/db?sslmode=yes')).toMatch(/^has sslmode=yes; .*require/);
});

test.each(['prefer', 'allow'])(
  'sslmode=%s, which would give up encryption silently, is refused with what to choose',
  (mode) => {
    expect(parse(`postgres://u:p@db.example.com/db?sslmode=${mode}`)).toMatch(
      /^has sslmode=.*without encryption.*sslmode=require.*sslmode=disable/,
    );
  },
);

test.each([
  'u:p@one.example,two.example/db',
  'u:p@one.example:5432,two.example:5432/db?target_session_attrs=read-write',
  'u:p,w@one:1,two:2/db',
  '/db?host=one,two',
])('several hosts are refused by that name: %s', (rest) => {
  expect(parse(`postgres://${rest}`)).toMatch(/^names several hosts; name one/);
});

test('a comma in the password or in a parameter is no second host', () => {
  expect(parse('postgres://u:p,w@one.example/db?options=-c%20a,b')).toMatchObject({ host: 'one.example' });
});
