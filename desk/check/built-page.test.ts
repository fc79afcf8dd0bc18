import { writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { DAY } from '../../contract/time.ts';
import { ensureProgram, publish } from '../../publish/publish.ts';
import { readSettings } from '../../settings/settings.ts';
import { findingsOf, listenUntilTestEnds } from '../../tests/support/desk/run-check.ts';
import { certificate } from '../../tests/support/network/certificates.ts';
import { temporaryFolder } from '../../tests/support/service/open-test-service.ts';
import { checkAddress } from './address.ts';
import { checkPage } from './built-page.ts';
import { placeholders } from './check-placeholders.ts';

const { signal } = new AbortController();

test('the page is well when it was built from what is here now, and shown', async () => {
  const WORDS_DIR = temporaryFolder();
  const settings = readSettings({ WORDS_DIR });
  const dist = join(temporaryFolder(), 'dist');
  const check = async (ownUrl = 'http://127.0.0.1:1') => {
    const finding = await checkPage({ settings, ownUrl }, signal, dist);
    return `${finding.verdict}: ${finding.found}`;
  };
  expect(await check()).toBe('wrong: It hasn’t been built yet.');
  await ensureProgram();
  await publish(settings, dist);
  expect(await check()).toMatch(/^ok: Built from/);
  writeFileSync(join(WORDS_DIR, 'words.json'), '{"hero": {"headline": "Another"}}');
  expect(await check()).toMatch(/^look: Words, files or settings have changed/);
  await publish(settings, dist);
  writeFileSync(join(dist, 'index.html'), '<h1>New</h1>');
  const html = (text: string) => () => new Response(text, { headers: { 'content-type': 'text/html' } });
  expect(await check(await listenUntilTestEnds(html('<h1>New</h1>')))).toMatch(/^ok/);
  expect(await check(await listenUntilTestEnds(html('<h1>Old</h1>')))).toMatch(
    /^look: The server still shows/,
  );
  // Another line says that nothing serves the page.
  expect(await check('http://127.0.0.1:1')).toMatch(/^ok/);
});

test('the public address shows this page, with a certificate that lasts', async () => {
  const { key, cert, validTo } = await certificate();
  let html = '';
  const host = createServer({ key, cert }, (_request, response) => response.end(html));
  await new Promise<void>((resolve) => void host.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void host.close());
  const url = `https://127.0.0.1:${(host.address() as AddressInfo).port}`;
  const check = async (siteUrl: string, now = validTo - 60 * DAY) => {
    const finding = await checkAddress(siteUrl, now, signal);
    return `${finding.verdict}: ${finding.found}`;
  };
  html = `<link rel="canonical" href="${url}/">`;
  expect(await check(url)).toBe(`ok: ${url} shows this page; its certificate is valid for 60 more days.`);
  expect(await check(url, validTo - 3 * DAY)).toBe(
    `look: ${url} shows this page, but its certificate is valid for 3 more days.`,
  );
  html = '<h1>Parked by somebody</h1>';
  expect(await check(url)).toBe(`wrong: ${url} shows something other than this page.`);
});

test('an address without encryption, that leads on, or that nobody answers, is looked at', async () => {
  const check = async (siteUrl: string) => {
    const finding = await checkAddress(siteUrl, Date.now(), signal);
    return `${finding.verdict}: ${finding.found}`;
  };
  const plain: string = await listenUntilTestEnds(
    () => new Response(`<link rel="canonical" href="${plain}/">`),
  );
  expect(await check(plain)).toMatch(/^look: .*“not secure”/);
  const leading = await listenUntilTestEnds(() => Response.redirect('https://www.blueprint.ca/'));
  expect(await check(leading)).toBe(`look: ${leading} redirects to https://www.blueprint.ca/.`);
  expect(await check('http://127.0.0.1:1')).toMatch(/^look: 127\.0\.0\.1:1 could not be reached/);
});

test('what came with the project and is still there is looked at, a line each', async () => {
  const findings = await findingsOf(placeholders);
  expect(findings.map(({ verdict }) => verdict)).not.toContain('wrong');
  expect(findings.some(({ found }) => found.includes('hello@example.com'))).toBe(true);
  for (const { todo } of findings) expect(todo).toBeTruthy();
});
