import { expect, test } from 'vitest';
import { isLocalNetwork, isThisMachine } from './local-network.ts';

test.each([
  ['localhost', 'LOCALHOST.', 'site.localhost', '127.0.0.1', '127.9.9.9', '::1', '[::1]', '0.0.0.0', '[::]'],
])('this machine answers to all of its names and addresses', (...hosts) => {
  expect(hosts.filter((host) => !isThisMachine(host))).toEqual([]);
  expect(hosts.filter((host) => !isLocalNetwork(host))).toEqual([]);
});

test('a private network is near, and isn’t this machine', () => {
  const hosts = ['10.0.0.7', '172.31.0.1', '192.168.1.4', '169.254.1.1', 'fd00::1', '[fe80::1]'];
  const names = ['db', 'db.internal', 'nas.local', '/run/postgresql'];
  expect([...hosts, ...names].filter((host) => !isLocalNetwork(host) || isThisMachine(host))).toEqual([]);
});

test('everything else is far, however much it looks like one of ours', () => {
  const hosts = ['db.example.com', '203.0.113.9', '172.32.0.1', '2001:db8::1', '::ffff:203.0.113.9'];
  const names = ['localhost.example.com', '127.0.0.1.example.com', 'notlocalhost.com', 'internal.example'];
  expect([...hosts, ...names].filter(isLocalNetwork)).toEqual([]);
});
