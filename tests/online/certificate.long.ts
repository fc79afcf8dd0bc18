import { expect, onTestFinished, test } from 'vitest';
import { figure } from '../long.ts';
import { startDnsServer, type Zone } from '../support/network/dns-server.ts';
import { bootBareServer } from '../support/server/bare-server.ts';
import { describeOnline } from '../support/server/laptop.ts';

const HOST = 'studio.test';
const ROOT = '/var/lib/caddy/.local/share/caddy/pki/authorities/local/root.crt';

/** Another server, whose Caddy gives certificates by ACME, and looks names up in this list. */
async function bootAuthority(names: string) {
  const { address, run, end } = await bootBareServer();
  onTestFinished(end);
  const caddyfile = `{\\n skip_install_trust\\n}\\nhttps://${address} {\\n tls internal\\n acme_server\\n}\\n`;
  await run(`set -e; echo '${names}' >> /etc/hosts; apt-get -q update
    apt-get -q install -y --no-install-recommends caddy; printf '${caddyfile}' > /etc/caddy/Caddyfile
    systemctl restart caddy; until [ -s ${ROOT} ]; do sleep 0.1; done`);
  return { root: await run(`cat ${ROOT}`), directory: `https://${address}/acme/local/directory` };
}

describeOnline('npm run online, with a domain', (site) => {
  test('the record to set is shown, and once it’s there, the site has its certificate', async () => {
    const { server, laptop } = site;
    const names = `${server.address} ${HOST} www.${HOST}`;
    const { root, directory } = await bootAuthority(names);
    const zone: Zone = { [HOST]: { A: ['198.51.100.7'] } };
    const dns = await startDnsServer(zone);
    onTestFinished(dns.close);
    laptop.settings(server, { SITE_URL: `https://${HOST}` });
    laptop.write('hosts', `127.0.0.1 localhost\n${names}\n`);
    laptop.write('root.crt', root);
    await server.run(`mkdir -p /etc/caddy/options; cd /etc/caddy/options; echo '${root}' > root.crt
      printf 'acme_ca ${directory}\\nacme_ca_root /etc/caddy/options/root.crt\\n' > authority.caddy`);

    const without = await laptop.online(['--yes', '--dns-server', dns.address]);
    expect(without.out).toMatch(/Delete this one: .*198\.51\.100\.7/);
    expect(without.out).toMatch(new RegExp(`Add this one: .*Type A .*Name @ .*Value ${server.address}`));
    expect([without.code, without.out]).toEqual([0, expect.stringContaining(`http://${server.address}/`)]);

    const args = ['--dns-server', dns.address];
    const { says, exited, out } = laptop.start('desk/online/online.ts', args, ['w', 'y']);
    await says(/Waiting;/);
    const begun = performance.now();
    zone[HOST] = { A: [server.address] };
    zone[`www.${HOST}`] = { A: [server.address] };
    expect([await exited, out()]).toEqual([0, expect.stringContaining(`It’s online: https://${HOST}/`)]);
    figure(`from the record to the certificate: ${Math.round((performance.now() - begun) / 1000)} s`);
    const look = `const { status, url } = await fetch('https://www.${HOST}/'); console.log(status, url)`;
    const seen = laptop.start('--input-type=module', ['--eval', look]);
    await seen.exited;
    expect(seen.out()).toBe(`200 https://${HOST}/\n`);
  });
});
