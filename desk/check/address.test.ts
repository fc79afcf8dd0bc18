import { createServer } from 'node:https';
import { expect, onTestFinished, test } from 'vitest';
import { linesOf, listenUntilTestEnds } from '../../tests/support/desk/run-check.ts';
import { certificate } from '../../tests/support/network/certificates.ts';
import { portOf } from '../../tests/support/network/free-port.ts';
import { address, checkAddress } from './address.ts';

const check = async (siteUrl: string) => {
  const finding = await checkAddress(siteUrl);
  return `${finding.verdict}: ${finding.found}`;
};

test('the public address shows this page', async () => {
  const { key, cert } = await certificate();
  let html = '';
  const host = createServer({ key, cert }, (_request, response) => response.end(html));
  onTestFinished(() => void host.close());
  const url = `https://127.0.0.1:${await portOf(host)}`;
  html = `<link rel="canonical" href="${url}/">`;
  expect(await check(url)).toBe(`ok: ${url} shows this page.`);
  html = '<h1>Parked by somebody</h1>';
  expect(await check(url)).toBe(`wrong: ${url} shows something other than this page.`);
});

test('a page without an address, or one without encryption, that leads on or that nobody answers, is looked at', async () => {
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
  expect(await check('http://127.0.0.1:1')).toMatch(/^look: 127\.0\.0\.1:1 can’t be reached/);
});
