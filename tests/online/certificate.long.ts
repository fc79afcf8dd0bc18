import { expect, onTestFinished, test } from 'vitest';
import { figure } from '../long.ts';
import { startDnsServer, type Zone } from '../support/network/dns-server.ts';
import { bootBareServer, whyNotHere } from '../support/server/bare-server.ts';
import { bootAuthority } from '../support/server/certificate-authority.ts';
import { newLaptop } from '../support/server/laptop.ts';

const HOST = 'studio.test';

test.skipIf(whyNotHere())(
  'the record to set is shown, and once it’s there, the site has its certificate',
  async () => {
    const server = await bootBareServer();
    onTestFinished(server.end);
    const names = { [HOST]: server.address, [`www.${HOST}`]: server.address };
    const authority = await bootAuthority(names);
    onTestFinished(authority.end);
    const zone: Zone = { [HOST]: { A: ['198.51.100.7'] } };
    const dns = await startDnsServer(zone);
    onTestFinished(dns.close);
    const laptop = newLaptop(server, { names, trusts: authority.root });
    onTestFinished(laptop.end);
    laptop.settings({
      CONTACT_EMAIL: 'ada@blueprint-operations.com',
      SERVER: server.address,
      SITE_URL: `https://${HOST}`,
    });
    const options = `{ echo acme_ca ${authority.directory}; echo acme_ca_root /etc/caddy/options/root.crt; }`;
    await server.run(
      `mkdir -p /etc/caddy/options; ${options} > /etc/caddy/options/authority.caddy; echo '${authority.root}' > /etc/caddy/options/root.crt`,
    );

    const without = await laptop.online(['--yes', '--dns-server', dns.address]);
    expect(without.out).toMatch(/Delete this one: .*198\.51\.100\.7/);
    expect(without.out).toMatch(new RegExp(`Add this one: .*Type A .*Name @ .*Value ${server.address}`));
    expect([without.code, without.out]).toEqual([0, expect.stringContaining(`http://${server.address}/`)]);

    const waiting = laptop.start('desk/online/online.ts', ['--dns-server', dns.address], ['w', 'y']);
    await waiting.says(/Waiting;/);
    const begun = performance.now();
    for (const name of Object.keys(names)) zone[name] = { A: [server.address] };
    expect([await waiting.exited, waiting.out()]).toEqual([
      0,
      expect.stringContaining(`It’s online: https://${HOST}/`),
    ]);
    figure(
      `from the record to the site with its certificate: ${((performance.now() - begun) / 1000).toFixed(0)} s`,
    );
    const seen = await laptop.look(`https://www.${HOST}/`);
    expect(seen).toEqual({ status: 200, url: `https://${HOST}/` });
  },
);
