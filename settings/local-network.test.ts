import { expect, test } from 'vitest';
import { isLocalNetwork, isThisMachine } from './local-network.ts';

test.each([
  ['this machine', 'localhost LOCALHOST. site.localhost 127.0.0.1 127.9.9.9 ::1 [::1] 0.0.0.0 [::]'],
  ['near', '10.0.0.7 172.31.0.1 192.168.1.4 169.254.1.1 fd00::1 [fe80::1] db db.internal nas.local /run/pg'],
  // However much they look like one of ours.
  ['far', 'db.example.com 203.0.113.9 172.32.0.1 2001:db8::1 ::ffff:203.0.113.9'],
  ['far', 'localhost.example.com 127.0.0.1.example.com notlocalhost.com internal.example'],
])('by name or address, it’s %s: %s', (where, hosts) => {
  for (const host of hosts.split(' ')) {
    const found = isThisMachine(host) ? 'this machine' : isLocalNetwork(host) ? 'near' : 'far';
    expect([host, found]).toEqual([host, where]);
    if (where === 'this machine') expect(isLocalNetwork(host)).toBe(true);
  }
});
