import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../tests/support/service.ts';
import { isLocalNetwork, isThisMachine } from './local-network.ts';
import { parsePostgresUrl as parse } from './server-url.ts';

test.each([
  ['this machine', 'localhost LOCALHOST. site.localhost 127.0.0.1 127.9.9.9 ::1 [::1] 0.0.0.0 [::]'],
  ['near', '10.0.0.7 172.31.0.1 192.168.1.4 169.254.1.1 fd00::1 [fe80::1] db db.internal nas.local /run/pg'],
  // However much they look local.
  ['far', 'db.example.com 203.0.113.9 172.32.0.1 2001:db8::1 ::ffff:203.0.113.9'],
  ['far', 'localhost.example.com 127.0.0.1.example.com notlocalhost.com internal.example'],
])('by name or address, it’s %s: %s', (where, hosts) => {
  for (const host of hosts.split(' ')) {
    const found = isThisMachine(host) ? 'this machine' : isLocalNetwork(host) ? 'near' : 'far';
    expect([host, found]).toEqual([host, where]);
    if (where === 'this machine') expect(isLocalNetwork(host)).toBe(true);
  }
});

test('every part of the address is read, and no part that’s shown has the password', () => {
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

test('without sslmode, only a nearby connection goes unencrypted', () => {
  const encrypted = { ssl: { rejectUnauthorized: false } };
  const [near, far] = ['postgres://u:p@db.internal/db', 'postgres://u:p@db.example.com/db'];
  expect(parse(near)).toMatchObject({ ssl: false });
  expect(parse(`${near}?sslmode=require`)).toMatchObject(encrypted);
  expect(parse(far)).toMatchObject(encrypted);
  expect(parse(`${far}?sslmode=disable`)).toMatchObject({ ssl: false });
});

test('verify-full checks the certificate and its name, and so does naming an authority', () => {
  const ca = join(temporaryFolder(), 'ca.pem');
  writeFileSync(ca, 'an authority');
  const url = 'postgres://u:p@db.example.com/db';
  expect(parse(`${url}?sslmode=verify-full`)).toMatchObject({ ssl: { rejectUnauthorized: true } });
  for (const mode of ['require', 'verify-full'])
    expect(parse(`${url}?sslmode=${mode}&sslrootcert=${ca}`).ssl).toEqual({
      ca: 'an authority',
      rejectUnauthorized: true,
    });
  // With a second ? in place of a &, the password is in the path.
  const typo = `${url}?sslrootcert=/nope?password=hunter2`;
  expect(() => parse(typo)).toThrow(/sslrootcert that cannot be read$/);
});

test('a parameter that leaves encryption open is refused', () => {
  for (const parameter of ['sslmode=prefer', 'sslmode=allow', 'sslmode=yes', 'ssl=true'])
    expect(() => parse(`postgres://u:p@localhost/db?${parameter}`), parameter).toThrow(
      /^needs sslmode.*disable, require/,
    );
});
