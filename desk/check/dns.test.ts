import { createSocket } from 'node:dgram';
import { expect, onTestFinished, test } from 'vitest';
import { findingsOf, linesOf } from '../../tests/support/desk/run-check.ts';
import { startDnsServer, type Zone } from '../../tests/support/network/dns-server.ts';
import { dns } from './dns.ts';
import { inbox } from './inbox.ts';

const MAIL_FROM = 'web@blueprint.ca';
const CONTACT_EMAIL = 'owner@blueprint.ca';

async function serverFor(zone: Zone): Promise<string> {
  const server = await startDnsServer(zone);
  onTestFinished(() => server.close());
  return server.address;
}

async function sender(zone: Zone, env: Record<string, string> = {}): Promise<string[]> {
  return linesOf(dns, { MAIL_FROM, CONTACT_EMAIL, ...env }, { dnsServer: await serverFor(zone) });
}

test('a domain that vouches for its mails is well', async () => {
  const zone: Zone = {
    'blueprint.ca': { TXT: ['another=record', 'V=SPF1 include:_spf.provider.example mx ~all'] },
    '_dmarc.blueprint.ca': { TXT: ['v=DMARC1; p=quarantine; rua=mailto:dmarc@blueprint.ca'] },
  };
  const well = [
    'spf ok: blueprint.ca says which servers may send its mail.',
    'dmarc ok: blueprint.ca says what to do with mails forged in its name.',
  ];
  expect(await sender(zone)).toEqual(well);
});

test('a domain that says nothing is looked at, and each line says what to add', async () => {
  const zone = { 'blueprint.ca': { TXT: ['v=spf10 mx', 'site-verification=1'] } };
  const change = { dnsServer: await serverFor(zone) };
  const findings = await findingsOf(dns, { MAIL_FROM, CONTACT_EMAIL }, change);
  expect(findings).toMatchObject([
    { id: 'spf', verdict: 'look', todo: expect.stringContaining('v=spf1') },
    { id: 'dmarc', verdict: 'look', todo: expect.stringContaining('v=DMARC1; p=none') },
  ]);
});

test('two SPF records are wrong, since receivers then heed none', async () => {
  const zone = { 'blueprint.ca': { TXT: ['v=spf1 mx ~all', 'v=spf1 include:provider.example ~all'] } };
  expect((await sender(zone))[0]).toMatch(/^spf wrong: blueprint\.ca has more than one SPF record/);
});

test('a subdomain follows the DMARC record of a domain above it', async () => {
  const zone: Zone = { 'mail.blueprint.ca': {}, '_dmarc.blueprint.ca': { TXT: ['v=DMARC1; p=reject'] } };
  expect((await sender(zone, { MAIL_FROM: 'web@mail.blueprint.ca' }))[1]).toMatch(/^dmarc ok: /);
});

test('a domain that does not exist is wrong', async () => {
  expect((await sender({}))[0]).toBe(
    'sender-domain wrong: There’s no domain blueprint.ca, so receivers refuse mails from it.',
  );
});

test('a question that a server fails to answer leaves the others their answers', async () => {
  const zone: Zone = { 'blueprint.ca': 'broken', '_dmarc.blueprint.ca': { TXT: ['v=DMARC1; p=reject'] } };
  expect(await sender(zone)).toEqual([
    'spf look: The DNS could not be asked about blueprint.ca.',
    expect.stringMatching(/^dmarc ok: /),
  ]);
});

test.each([
  ['good-co.ca', 'ok: Mail for good-co.ca goes to mx1.good-co.ca.'],
  ['closed-co.ca', 'wrong: closed-co.ca accepts no mail, so nothing reaches owner@closed-co.ca.'],
  ['old-co.ca', 'look: old-co.ca has no mail server, so mails are sent to its web server.'],
  ['empty-co.ca', 'wrong: empty-co.ca has no mail server, so nothing reaches owner@empty-co.ca.'],
  ['gone-co.ca', 'wrong: There’s no domain gone-co.ca, so nothing reaches owner@gone-co.ca.'],
  ['broken-co.ca', 'look: The DNS could not be asked about broken-co.ca.'],
])('the inbox at %s is %s', async (domain, expected) => {
  const dnsServer = await serverFor({
    'good-co.ca': { MX: ['mx1.good-co.ca', 'mx2.good-co.ca'] },
    'closed-co.ca': { MX: ['.'] },
    'old-co.ca': { A: ['192.0.2.1'] },
    'empty-co.ca': {},
    'broken-co.ca': 'broken',
  });
  expect(await linesOf(inbox, { CONTACT_EMAIL: `owner@${domain}` }, { dnsServer })).toEqual([
    `inbox ${expected}`,
  ]);
});

test('a DNS server that never answers is said so of, and a question in flight ends with its check', async () => {
  const silent = createSocket('udp4');
  await new Promise<void>((resolve) => silent.bind(0, '127.0.0.1', resolve));
  onTestFinished(() => void silent.close());
  const dnsServer = `127.0.0.1:${silent.address().port}`;
  expect(await linesOf(dns, { MAIL_FROM, CONTACT_EMAIL }, { dnsServer })).toEqual([
    'spf look: The DNS could not be asked about blueprint.ca.',
    'dmarc look: The DNS could not be asked about blueprint.ca.',
  ]);
  const asked = new Promise((resolve) => void silent.once('message', resolve));
  const hasty = linesOf({ ...inbox, limitMs: 1 }, { CONTACT_EMAIL }, { dnsServer });
  await asked;
  expect(await hasty).toEqual(['inbox wrong: No answer within 0.001 seconds.']);
});

test('an example’s domain is nobody’s, so the DNS is not asked about it', async () => {
  const change = { dnsServer: '127.0.0.1:1' };
  expect(await linesOf(dns, { MAIL_FROM: 'web@example.com', CONTACT_EMAIL }, change)).toEqual([
    expect.stringMatching(/^sender-domain look: .*an example/),
  ]);
  expect(await linesOf(inbox, {}, change)).toEqual([expect.stringMatching(/^inbox look: .*an example/)]);
  // If both domains are the same, one line is enough.
  expect(await linesOf(dns, {}, change)).toEqual([]);
});
