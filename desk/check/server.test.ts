import { writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { expect, test } from 'vitest';
import { ensureProgram, publish } from '../../publish/publish.ts';
import { readSettings } from '../../settings/settings.ts';
import { linesOf, listenUntilTestEnds } from '../../tests/support/desk/run-check.ts';
import { certificate } from '../../tests/support/network/certificates.ts';
import { freePort, portOf } from '../../tests/support/network/free-port.ts';
import { untilEnd } from '../../tests/support/network/until-end.ts';
import { openTestService, temporaryFolder } from '../../tests/support/service.ts';
import type { Finding } from './finding.ts';
import { address, checkAddress, checkPage, server as serverCheck } from './server.ts';

const verdictOf = ({ verdict, found }: Finding) => `${verdict}: ${found}`;

async function httpsHost(html: () => string, options: { trusted?: boolean } = {}): Promise<string> {
  const { key, cert } = await certificate(options);
  const host = await untilEnd(createServer({ key, cert }, (_request, response) => response.end(html())));
  return `https://127.0.0.1:${await portOf(host)}`;
}

const server = async (ownUrl: string, env = {}) => (await linesOf(serverCheck, env, { ownUrl }))[0];

const form = async (VITE_SUPABASE_URL: string, env = {}) =>
  (await linesOf(serverCheck, { VITE_SUPABASE_URL, ...env })).at(-1);

test('a server that isn’t running or can’t write is wrong, as is another program in its place, unless the form sends elsewhere', async () => {
  const none = `http://127.0.0.1:${await freePort()}`;
  expect(await server(none)).toBe(`server wrong: Nothing answers at ${none} (ECONNREFUSED).`);
  expect(await server(none, { VITE_SUPABASE_URL: 'https://abcdefgh.supabase.co' })).toMatch(/^page /);
  const { app, databaseFile } = await openTestService();
  const url = await listenUntilTestEnds(app.fetch);
  new Sqlite(databaseFile).exec('drop table last_done').close();
  expect(await server(url)).toMatch(/^server wrong: It runs, but its database can’t be written/);
  const stranger = await listenUntilTestEnds(() => new Response('Hello'));
  expect(await server(stranger)).toBe(`server wrong: Another program answers at ${stranger}.`);
});

test('a running server is fine, as is its form, which stores no empty message; one that refuses the key or the page isn’t', async () => {
  const { app, store } = await openTestService({ ALLOWED_ORIGINS: 'https://www.blueprint.ca' });
  const url = await listenUntilTestEnds(app.fetch);
  expect(await server(url)).toBe(`server ok: It runs and takes messages at ${url}.`);
  const takes = `form ok: ${new URL(url).host} answers it as it should.`;
  expect(await form(url, { SITE_URL: 'https://www.blueprint.ca' })).toBe(takes);
  const key = { VITE_SUPABASE_ANON_KEY: 'sb_publishable_of_another' };
  expect(await form(url, key)).toMatch(/^form wrong: .*with code 401/);
  expect(await form(url, { SITE_URL: 'https://other.ca' })).toMatch(/^form wrong: .*with code 403/);
  expect(await store.counts()).toMatchObject({ waiting: 0, spam: 0 });
});

test('a host that can’t be reached from here needs a look, one that doesn’t exist or can’t be trusted is wrong', async () => {
  const none = `127.0.0.1:${await freePort()}`;
  expect(await form(`http://${none}`)).toBe(
    `form look: ${none} can’t be checked from this machine (ECONNREFUSED).`,
  );
  expect(await form('https://blueprint.invalid')).toMatch(/^form (wrong: .* wasn’t found|look: .*EAI_AGAIN)/);
  const guard = await listenUntilTestEnds(() => new Response('Are you a robot?', { status: 403 }));
  for (const found of [await form(guard), verdictOf(await checkAddress(guard))])
    expect(found, 'what people get isn’t known').toMatch('look: 127.0.0.1');
  const stranger = await httpsHost(() => '', { trusted: false });
  expect(await form(stranger)).toMatch(/^form wrong: .*no known authority vouches for .* Browsers refuse/);
});

test('the public address shows this page with a certificate, or it needs a look', async () => {
  const check = async (siteUrl: string) => verdictOf(await checkAddress(siteUrl));
  let html = '';
  const url = await httpsHost(() => html);
  const canonical = (siteUrl: string) => `<link rel="canonical" href="${siteUrl}/">`;
  html = canonical(url);
  expect(await check(url)).toBe(`ok: ${url} shows this page.`);
  const dist = temporaryFolder();
  const uploaded = async () => verdictOf(await checkAddress(url, url, dist));
  writeFileSync(join(dist, 'index.html'), html);
  expect(await uploaded()).toBe(`ok: ${url} shows this page.`);
  writeFileSync(join(dist, 'index.html'), `${html}<p>New`);
  expect(await uploaded()).toMatch(/^look: .* not as it was published/);
  html = '<h1>Parked by somebody</h1>';
  expect(await check(url)).toBe(`wrong: ${url} shows something other than this page.`);
  for (const SITE_URL of ['', 'http://localhost:8080'])
    expect(await linesOf(address, { SITE_URL })).toEqual([
      expect.stringMatching(/^address look: .*no address/),
    ]);
  const plain: string = await listenUntilTestEnds(() => new Response(canonical(plain)));
  expect(await check(plain)).toMatch(/^look: .*“not secure”/);
  const leading = await listenUntilTestEnds(() => Response.redirect('https://www.blueprint.ca/'));
  expect(await check(leading)).toBe(`look: ${leading} redirects to https://www.blueprint.ca/.`);
});

test('the page is fine if it was published from what’s here now', async () => {
  const WORDS_DIR = temporaryFolder();
  const settings = readSettings({ WORDS_DIR });
  const dist = join(temporaryFolder(), 'dist');
  const check = async () => verdictOf(await checkPage(settings, dist));
  expect(await check()).toBe('wrong: It isn’t published yet.');
  await ensureProgram();
  await publish(settings, dist);
  expect(await check()).toMatch(/^ok: It has your words/);
  writeFileSync(join(WORDS_DIR, 'words.json'), '{"hero": {"headline": "Another"}}');
  expect(await check()).toMatch(/^look: Words or settings have changed/);
  for (const text of ['{"hero": ', '{"hero": {"hedline": "Another"}}']) {
    writeFileSync(join(WORDS_DIR, 'words.json'), text);
    expect(await check()).toMatch(/^wrong: It can’t be published: .*(line 1|hedline)/s);
  }
});
