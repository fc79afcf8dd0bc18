import { generateKeyPairSync } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { expect, onTestFinished, test } from 'vitest';
import { startDnsServer, type Zone } from '../../tests/dns-server.ts';
import { openLookup } from './dns.ts';
import { checkInbox, checkSenderDomain } from './sender-domain.ts';

const DOMAIN = 'blueprint.ca';
const rsaKey = (modulusLength: number) =>
  generateKeyPairSync('rsa', { modulusLength })
    .publicKey.export({ type: 'spki', format: 'der' })
    .toString('base64');
const KEY = rsaKey(2048);

async function lookupIn(zone: Zone) {
  const server = await startDnsServer(zone);
  onTestFinished(() => server.close());
  return openLookup(server.address, new AbortController().signal);
}

/** `verdict: what was found` of each line, by its id. */
async function sender(zone: Zone, dkimSelector?: string): Promise<Record<string, string>> {
  const findings = await checkSenderDomain(DOMAIN, { lookup: await lookupIn(zone), dkimSelector });
  return Object.fromEntries(findings.map(({ id, verdict, found }) => [id, `${verdict}: ${found}`]));
}

const spfOf = async (zone: Zone) => (await sender({ [DOMAIN]: {}, ...zone })).spf;
const record = (...TXT: string[]): Zone => ({ [DOMAIN]: { TXT } });

test('a domain that vouches for its mails three times is well', async () => {
  const zone: Zone = {
    [DOMAIN]: { TXT: ['another=record', 'v=spf1 include:_spf.provider.example mx ~all'] },
    '_spf.provider.example': {
      TXT: ['v=spf1 ip4:192.0.2.0/24 ip6:2001:db8::/32 a:mail.provider.example -all'],
    },
    [`google._domainkey.${DOMAIN}`]: { TXT: [`v=DKIM1; k=rsa; p=${KEY}`] },
    [`_dmarc.${DOMAIN}`]: { TXT: ['v=DMARC1; p=quarantine; rua=mailto:dmarc@blueprint.ca'] },
  };
  expect(await sender(zone)).toEqual({
    spf: 'ok: blueprint.ca names who may send its mail (3 of 10 lookups used).',
    dkim: 'ok: The DKIM key “google” is published (2048 bits).',
    dmarc: 'ok: Mails forged in the name of blueprint.ca go to spam (p=quarantine).',
  });
});

test('a domain that says nothing is looked at three times, and each line says what to add', async () => {
  const findings = await checkSenderDomain(DOMAIN, {
    lookup: await lookupIn({ [DOMAIN]: { TXT: ['site-verification=1'] } }),
    dkimSelector: undefined,
  });
  expect(findings.map(({ verdict }) => verdict)).toEqual(['look', 'look', 'look']);
  expect(findings.map(({ todo }) => todo)).toEqual([
    expect.stringContaining('v=spf1'),
    expect.stringContaining('--dkim-selector'),
    expect.stringContaining('v=DMARC1; p=none'),
  ]);
});

test.each([
  [
    ['v=spf1 mx ~all', 'v=spf1 include:provider.example ~all'],
    'wrong: blueprint.ca has more than one SPF record',
  ],
  [['v=spf1 mx +all'], 'wrong: The SPF record of blueprint.ca lets anybody'],
  [['v=spf1 all'], 'wrong: The SPF record of blueprint.ca lets anybody'],
  [['v=spf1 mx ?all'], 'look: The SPF record of blueprint.ca says nothing about other senders'],
  [['v=spf1 mx'], 'look: The SPF record of blueprint.ca says nothing about other senders'],
  [['v=spf1 mx inlcude:provider.example ~all'], 'wrong: .*Receivers cannot read “inlcude:provider.example”'],
  [['v=spf1 ip4:192.0.2.300.1/x ~all'], 'wrong: .*Receivers cannot read'],
  [['v=spf1 include: ~all'], 'wrong: .*Receivers cannot read “include:”'],
  [['v=spf1 include:nothing.example ~all'], 'wrong: .*includes nothing.example, which has no SPF record'],
  [['v=spf1 include:blueprint.ca ~all'], 'wrong: .*includes blueprint.ca in a ring'],
  [['v=spf10 mx ~all'], 'look: blueprint.ca does not say which servers'],
  // After `all` nothing is asked, and a redirect is not followed.
  [['V=SPF1 MX ~ALL a redirect=nothing.example'], 'ok: .*1 of 10 lookups'],
  [['v=spf1 include:%{i}.rest.example exists:%{i}.list.example -all'], 'ok: .*2 of 10 lookups'],
])('the SPF records %j are judged %s', async (texts, expected) => {
  expect(await spfOf(record(...texts))).toMatch(new RegExp(expected));
});

test('ten DNS lookups pass, the eleventh makes an SPF record worthless', async () => {
  const includes = (count: number) =>
    Array.from({ length: count }, (_, i) => `include:p${i}.example`).join(' ');
  const zone = (count: number, more = ''): Zone => ({
    ...record(`v=spf1 ${includes(count)}${more} ~all`),
    ...Object.fromEntries(
      Array.from({ length: count }, (_, i) => [`p${i}.example`, { TXT: ['v=spf1 mx ~all'] }]),
    ),
  });
  expect(await spfOf(zone(5))).toBe('ok: blueprint.ca names who may send its mail (10 of 10 lookups used).');
  expect(await spfOf(zone(5, ' a'))).toMatch(/^wrong: .*ask the DNS more than 10 times/);
});

test('a service that sends in the name of a subdomain needs an SPF record there alone', async () => {
  const zone = {
    [DOMAIN]: {},
    'send.blueprint.ca': { TXT: ['v=spf1 include:mail.example ~all'] },
    'mail.example': { TXT: ['v=spf1 ~all'] },
  };
  const options = { lookup: await lookupIn(zone), dkimSelector: undefined };
  const [without] = await checkSenderDomain(DOMAIN, options);
  expect(without?.verdict).toBe('look');
  const [within] = await checkSenderDomain(DOMAIN, { ...options, envelopeDomain: 'send.blueprint.ca' });
  expect(`${within?.verdict}: ${within?.found}`).toMatch(/^ok: send\.blueprint\.ca names who/);
  const [elsewhere] = await checkSenderDomain(DOMAIN, { ...options, envelopeDomain: 'bounce.blueprint.ca' });
  expect(`${elsewhere?.verdict}: ${elsewhere?.found}`).toMatch(/^look: blueprint\.ca does not say/);
});

test('a redirect is followed, for its lookups and for its last word', async () => {
  const zone = { ...record('v=spf1 redirect=other.example'), 'other.example': { TXT: ['v=spf1 a mx +all'] } };
  expect(await spfOf(zone)).toMatch(/^wrong: .*anybody/);
});

test.each([
  [`v=DKIM1; p=${KEY}`, 'ok: .*2048 bits'],
  [`v=DKIM1; k=rsa; p=${rsaKey(1024)}`, 'look: .*only 1024 bits'],
  [`v=DKIM1; k=rsa; p=${rsaKey(512)}`, 'wrong: .*so short'],
  [`v=DKIM1; k=rsa; t=y; p=${KEY}`, 'look: .*marked as a test'],
  ['v=DKIM1; k=ed25519; p=11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=', 'ok: .*is published\\.$'],
  [`v=DKIM1; k=rsa; p=${KEY.slice(0, 200)}`, 'wrong: .*cannot be read'],
  ['v=DKIM1; p=', 'wrong: .*withdrawn'],
])('the DKIM record %s is judged %s', async (text, expected) => {
  const zone = { [DOMAIN]: {}, [`mine._domainkey.${DOMAIN}`]: { TXT: [text] } };
  expect((await sender(zone, 'mine')).dkim).toMatch(new RegExp(expected));
});

test('a DKIM selector that is given and not found is wrong', async () => {
  const zone = { [DOMAIN]: {}, [`google._domainkey.${DOMAIN}`]: { TXT: [`p=${KEY}`] } };
  expect((await sender(zone, 'mine')).dkim).toMatch(/^wrong: There is no DKIM key at mine\._domainkey/);
});

test.each([
  [['v=DMARC1; p=none'], 'ok: .*are delivered and reported'],
  [['v=DMARC1; p=reject; sp=none'], 'ok: .*are refused'],
  [['v=DMARC1; rua=mailto:x@blueprint.ca'], 'wrong: .*says no p='],
  [['v=DMARC1; p=quarantene'], 'wrong: .*says p=quarantene'],
  [['v=DMARC1; p=none', 'v=DMARC1; p=reject'], 'wrong: .*2 DMARC records'],
])('the DMARC records %j are judged %s', async (TXT, expected) => {
  expect((await sender({ [DOMAIN]: {}, [`_dmarc.${DOMAIN}`]: { TXT } })).dmarc).toMatch(new RegExp(expected));
});

test('a subdomain follows the DMARC record above it, and what that says of subdomains', async () => {
  const lookup = await lookupIn({
    'mail.blueprint.ca': {},
    '_dmarc.blueprint.ca': { TXT: ['v=DMARC1; p=reject; sp=quarantine'] },
  });
  const findings = await checkSenderDomain('mail.blueprint.ca', { lookup, dkimSelector: undefined });
  expect(findings.find(({ id }) => id === 'dmarc')?.found).toBe(
    'Mails forged in the name of blueprint.ca go to spam (p=quarantine).',
  );
});

test('the owner’s inbox needs a domain that takes mail', async () => {
  const lookup = await lookupIn({
    'good-co.ca': { MX: ['mx1.good-co.ca', 'mx2.good-co.ca'] },
    'closed-co.ca': { MX: ['.'] },
    'old-co.ca': { A: ['192.0.2.1'] },
    'empty-co.ca': {},
    'broken-co.ca': 'broken',
  });
  const of = async (domain: string) => {
    const [finding] = await checkInbox(`owner@${domain}`, lookup);
    return `${finding?.verdict}: ${finding?.found}`;
  };
  expect(await of('good-co.ca')).toBe('ok: Mail for good-co.ca goes to mx1.good-co.ca.');
  expect(await of('closed-co.ca')).toMatch(/^wrong: .*takes no mail at all/);
  expect(await of('old-co.ca')).toMatch(/^look: old-co.ca names no mail server/);
  expect(await of('empty-co.ca')).toMatch(/^wrong: empty-co.ca has no mail server/);
  expect(await of('gone-co.ca')).toMatch(/^wrong: There is no domain gone-co.ca/);
  expect(await of('broken-co.ca')).toBe('look: The DNS could not be asked about broken-co.ca.');
});

test('a DNS server that refuses, or never answers, is said so of and holds nothing up', async () => {
  const silent = createSocket('udp4');
  await new Promise<void>((resolve) => silent.bind(0, '127.0.0.1', resolve));
  onTestFinished(() => void silent.close());
  const server = `127.0.0.1:${silent.address().port}`;
  const lookup = openLookup(server, new AbortController().signal, { timeout: 100, tries: 2 });
  expect(await checkSenderDomain(DOMAIN, { lookup, dkimSelector: undefined })).toMatchObject([
    { id: 'sender-domain', verdict: 'look', found: 'The DNS could not be asked about blueprint.ca.' },
  ]);
});

test('a question that a server fails to answer leaves the others their answers', async () => {
  const zone: Zone = { [DOMAIN]: 'broken', [`_dmarc.${DOMAIN}`]: { TXT: ['v=DMARC1; p=reject'] } };
  expect(await sender(zone)).toMatchObject({
    spf: 'look: The DNS could not be asked about blueprint.ca.',
    dmarc: expect.stringMatching(/^ok: /),
  });
});

test('a question in flight ends when the check is called off', async () => {
  const silent = createSocket('udp4');
  await new Promise<void>((resolve) => silent.bind(0, '127.0.0.1', resolve));
  onTestFinished(() => void silent.close());
  const stop = new AbortController();
  const lookup = openLookup(`127.0.0.1:${silent.address().port}`, stop.signal);
  const answer = checkInbox('owner@blueprint.ca', lookup);
  stop.abort();
  expect((await answer)[0]?.verdict).toBe('look');
});

test('a domain that does not exist is one line, not three', async () => {
  expect(await sender({})).toEqual({
    'sender-domain': 'wrong: There is no domain blueprint.ca, and receivers refuse mails from there.',
  });
});

test('an example’s domain is nobody’s, so the DNS is not asked about it', async () => {
  const lookup = openLookup('127.0.0.1:1', AbortSignal.abort());
  const findings = [
    ...(await checkSenderDomain('example.com', { lookup, dkimSelector: undefined })),
    ...(await checkInbox('hello@example.com', lookup)),
  ];
  expect(findings.map(({ id, verdict }) => `${id} ${verdict}`)).toEqual(['sender-domain look', 'inbox look']);
});
