import { readdirSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { TLSSocket } from 'node:tls';
import { expect, test, vi } from 'vitest';
import { refusals } from '../../contract/refusal-sentences.ts';
import { explain } from '../../desk/command/command.ts';
import { newPostgresDatabase, openAt } from '../../tests/support/database/new-database.ts';
import { startPostgres } from '../../tests/support/database/postgres-server.ts';
import { certificate } from '../../tests/support/network/certificates.ts';
import { portOf } from '../../tests/support/network/free-port.ts';
import { startTcpProxy } from '../../tests/support/network/tcp-proxy.ts';
import { untilEnd } from '../../tests/support/network/until-end.ts';
import { startServer, submit } from '../../tests/support/service/server-process.ts';
import { call, MESSAGE, openTestService, stopClocks, temporaryFolder } from '../../tests/support/service.ts';
import { noteDone } from '../messages/last-done.ts';

test('a server that starts while Postgres is down shows the page, saves nothing, and begins by itself once it’s up', async () => {
  const postgres = await untilEnd(startPostgres());
  await postgres.stop();
  const folder = temporaryFolder();
  const env = { DATABASE_URL: `${postgres.url}/postgres` };
  const both = [startServer(folder, env), startServer(temporaryFolder(), env)] as const;
  const [server, stopped] = await Promise.all(both);
  stopped.kill('SIGTERM');
  expect(await stopped.exited).toBe(0);
  expect(server.out()).toMatch(/NOT STORED YET/);
  expect((await fetch(server.url)).status).toBe(200);
  expect((await fetch(`${server.url}/readyz`)).status).toBe(503);
  expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
  const [path, init] = call();
  const refused = await fetch(server.url + path, init);
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '30']);
  expect(await refused.json()).toMatchObject({ error: expect.stringContaining('couldn’t be saved') });

  await postgres.start();
  const ready = async () => (await fetch(`${server.url}/readyz`)).status;
  await expect.poll(ready).toBe(200);
  expect(await submit(server.url, 'after')).toBe(200);
  await expect.poll(() => server.out()).toMatch(/"msg":"mail sent"/);
  expect(readdirSync(join(folder, 'mail'))).toHaveLength(1);
  const away =
    /ECONNREFUSED.*the database cannot be used yet; visitors are told that nothing was saved, and it is tried again/g;
  expect(server.out().match(away)).toHaveLength(1);
  expect(server.out()).not.toContain(new URL(postgres.url).password);
});

test('a connection that breaks after the commit, and before its answer, loses no message, and calls none unsaved', async () => {
  const proxy = await startTcpProxy(await newPostgresDatabase());
  const { store, app, database } = await openTestService({ DATABASE_URL: proxy.url });
  proxy.cutAt('COMMIT');
  const noted = await noteDone(database, 'checked', 1).catch((error: unknown) => error);
  expect(explain(noted), 'nor is it said of her own').toContain('may have been done');
  proxy.cutAt('COMMIT');
  // Not a duplicate: it's mailed at once.
  expect(await store.add(MESSAGE, { now: Date.now() })).toMatchObject({ duplicate: false });
  expect(await store.counts()).toMatchObject({ waiting: 1 });

  // While nobody can be asked, nothing is claimed that isn't known: with a code, the page would claim it.
  proxy.cutAt('COMMIT', true);
  const submit = () => app.request(...call({ ...MESSAGE, message: 'Another' }));
  const unsure = await submit();
  expect([unsure.status, await unsure.json()]).toEqual([503, { error: refusals.unsure }]);
  expect(await (await submit()).json()).toMatchObject({ code: 'NOT_STORED' });
  proxy.speak();
  expect((await submit()).status).toBe(200);
  expect(await store.counts()).toMatchObject({ waiting: 2 });
});

test('a connection that goes silent keeps no visitor waiting for over ten seconds', async () => {
  const proxy = await startTcpProxy(await newPostgresDatabase());
  const { app, lines, send } = await openTestService({ DATABASE_URL: proxy.url });
  expect(await send('before')).toBe(200);
  proxy.goSilent();
  // On this test's clock exactly ten seconds pass, however long the machine takes.
  stopClocks('setTimeout', 'clearTimeout', 'Date', 'performance');
  const answers = Promise.all(Array.from({ length: 30 }, (_, index) => send(`silence ${index}`)));
  for (let passed = 0; passed < 10_000; passed += 20) {
    await vi.advanceTimersByTimeAsync(20);
    await new Promise(setImmediate);
  }
  const statuses = await Promise.race([answers, ['none yet']]);
  vi.useRealTimers();
  expect(new Set<number | string>(statuses)).toEqual(new Set([503]));
  expect((await app.request('/readyz')).status).toBe(503);
  proxy.speak();
  expect(await send('after')).toBe(200);
  expect(lines.join('')).not.toContain(new URL(proxy.url).password);
});

test('with sslmode=verify-full, a server with an untrusted certificate hears nothing', async () => {
  const { key, cert } = await certificate({ trusted: false });
  const heard = vi.fn();
  const server = createServer((socket) => {
    socket.once('data', () => {
      socket.write('S');
      const secure = new TLSSocket(socket, { isServer: true, key, cert }).on('error', () => undefined);
      secure.once('data', () => secure.end(heard()));
    });
  });
  const url = `postgres://me:hunter2@127.0.0.1:${await portOf(await untilEnd(server))}/contact`;
  const untrusted = /certificate of .* cannot be trusted.*sslrootcert/;
  await expect(openAt(`${url}?sslmode=verify-full`)).rejects.toThrow(untrusted);
  expect(heard).not.toHaveBeenCalled();
  await expect(openAt(`${url}?sslmode=require`)).rejects.toThrow(/does not answer/);
  expect(heard).toHaveBeenCalled();
});
