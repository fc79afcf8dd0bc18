import { expect, onTestFinished, test } from 'vitest';
import { bootBareServer, whyNotHere } from '../support/server/bare-server.ts';
import { newLaptop } from '../support/server/laptop.ts';

const why = whyNotHere();
test.skipIf(why)(`a bare server is online after one command${why ? ` (${why})` : ''}`, async () => {
  const server = await bootBareServer();
  onTestFinished(server.end);
  const laptop = newLaptop(server);
  const first = await laptop.online([], [server.address, '', 'ada@blueprint-operations.com', 'y']);
  console.log(first.code, first.seconds, first.out);
  const second = await laptop.online();
  console.log(second.code, second.seconds, second.out);
  laptop.words({ hero: { headline: 'Other words.' } });
  {const t = await laptop.online(); console.log(t.code, t.seconds, t.out);}
  console.log(await server.run('ps aux; ls -la /opt/blueprint-operations/ /opt/blueprint-operations/current/; journalctl -b --no-pager | tail -50; ss -ltnp; df -h /; ss -lunp'));
  console.log(await fetch(`http://${server.address}/`).then((r) => r.text()).then((t) => t.match(/<h1.*?<\/h1>/s)?.[0]));
});
