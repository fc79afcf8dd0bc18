import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { DAY } from '../../contract/time.ts';
import { linesOf, listenUntilTestEnds } from '../../tests/support/desk/run-check.ts';
import { certificate } from '../../tests/support/network/certificates.ts';
import { address, checkAddress } from './address.ts';

const { signal } = new AbortController();

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

test('a page without an address, or one without encryption, that leads on or that nobody answers, is looked at', async () => {
  const check = async (siteUrl: string) => {
    const finding = await checkAddress(siteUrl, Date.now(), signal);
    return `${finding.verdict}: ${finding.found}`;
  };
  for (const SITE_URL of ['', 'http://localhost:8080'])
    expect(await linesOf(address, { SITE_URL })).toEqual([
      expect.stringMatching(/^address look: .*no address/),
    ]);
  const plain: string = await listenUntilTestEnds(
    () => new Response(`<link rel="canonical" href="${plain}/">`),
  );
  expect(await check(plain)).toMatch(/^look: .*“not secure”/);
  const leading = await listenUntilTestEnds(() => Response.redirect('https://www.blueprint.ca/'));
  expect(await check(leading)).toBe(`look: ${leading} redirects to https://www.blueprint.ca/.`);
  expect(await check('http://127.0.0.1:1')).toMatch(/^look: 127\.0\.0\.1:1 could not be reached/);
});
