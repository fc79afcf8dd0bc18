import { bootBareServer } from './bare-server.ts';

const ROOT_FILE = '/var/lib/caddy/.local/share/caddy/pki/authorities/local/root.crt';

/** Another server, whose Caddy gives certificates by ACME, and looks names up in this list. */
export async function bootAuthority(names: Record<string, string>) {
  const server = await bootBareServer();
  const { address } = server;
  const hosts = Object.entries(names).map(([name, at]) => `echo ${at} ${name} >> /etc/hosts`);
  const caddyfile = `{\\n  skip_install_trust\\n}\\nhttps://${address} {\\n  tls internal\\n  acme_server\\n}\\n`;
  await server.run(
    [
      ...hosts,
      'apt-get -q update',
      'apt-get -q install -y --no-install-recommends caddy',
      `printf '${caddyfile}' > /etc/caddy/Caddyfile`,
      'systemctl restart caddy',
      `until [ -s ${ROOT_FILE} ]; do sleep 0.1; done`,
    ].join(' && '),
  );
  return {
    end: server.end,
    root: await server.run(`cat ${ROOT_FILE}`),
    directory: `https://${address}/acme/local/directory`,
  };
}
