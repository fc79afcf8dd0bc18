import { expect, test } from 'vitest';
import { readSettings } from '../../settings/settings.ts';
import { resolverOf, type Zone } from '../../tests/support/network/dns-server.ts';
import { checkDomains } from './domain.ts';

const ENV = { MAIL_FROM: 'web@blueprint.ca', CONTACT_EMAIL: 'owner@blueprint.ca' };

const findings = async (zone: Zone, env: Record<string, string> = ENV) =>
  checkDomains(readSettings(env), await resolverOf(zone));

async function lines(zone: Zone, env?: Record<string, string>) {
  return (await findings(zone, env)).map(({ id, verdict, found }) => `${id} ${verdict}: ${found}`);
}

test('a domain that vouches for its mail and accepts some is fine', async () => {
  const zone: Zone = {
    'blueprint.ca': {
      TXT: ['another=record', 'V=SPF1 include:_spf.provider.example mx ~all'],
      MX: ['mx1.blueprint.ca', 'mx2.blueprint.ca'],
    },
    // The keys are below it.
    '_domainkey.blueprint.ca': {},
    '_dmarc.blueprint.ca': { TXT: ['v=DMARC1; p=quarantine; rua=mailto:dmarc@blueprint.ca'] },
  };
  expect(await lines(zone)).toEqual([
    'spf ok: blueprint.ca says which servers may send its mail.',
    expect.stringMatching(/^dkim ok: blueprint\.ca has keys/),
    'dmarc ok: blueprint.ca says what to do with emails forged in its name.',
    'inbox ok: Mail for blueprint.ca goes to mx1.blueprint.ca.',
  ]);
});

test('a domain that says nothing needs a look, and each line says what to add', async () => {
  expect(await findings({ 'blueprint.ca': { TXT: ['v=spf10 mx', 'site-verification=1'] } })).toMatchObject([
    { id: 'spf', verdict: 'look', todo: expect.stringContaining('v=spf1') },
    { id: 'dkim', verdict: 'look', todo: expect.stringContaining('DKIM') },
    { id: 'dmarc', verdict: 'look', todo: expect.stringContaining('v=DMARC1; p=none') },
    { id: 'inbox', verdict: 'look', link: '/desk/settings#CONTACT_EMAIL' },
  ]);
});

test('two SPF records are wrong, and an unanswered query doesn’t take away the others’ answers', async () => {
  const zone: Zone = {
    'mail.blueprint.ca': { TXT: ['v=spf1 mx ~all', 'v=spf1 include:provider.example ~all'] },
    '_domainkey.mail.blueprint.ca': 'broken',
    // A subdomain follows the record of a domain above it.
    '_dmarc.blueprint.ca': { TXT: ['v=DMARC1; p=reject'] },
  };
  expect((await lines(zone, { ...ENV, MAIL_FROM: 'web@mail.blueprint.ca' })).slice(0, 3)).toEqual([
    expect.stringMatching(/^spf wrong: mail\.blueprint\.ca has more than one SPF record/),
    'dkim look: mail.blueprint.ca couldn’t be looked up in the DNS.',
    expect.stringMatching(/^dmarc ok: /),
  ]);
});

test.each<[string, Zone, string]>([
  ['that does not exist', {}, 'wrong: There’s no domain blueprint.ca, so nothing reaches you.'],
  ['that takes no mail', { 'blueprint.ca': { MX: ['.'] } }, 'wrong: blueprint.ca names no server'],
])('an inbox at a domain %s is wrong', async (_, zone, expected) => {
  expect((await lines(zone)).at(-1)).toContain(`inbox ${expected}`);
});

test('an example domain is nobody’s, so the DNS isn’t asked about it', async () => {
  const env = { MAIL_FROM: 'web@example.com', CONTACT_EMAIL: 'me@example.org' };
  const example = { verdict: 'look', found: expect.stringContaining('an example') };
  const zone = { 'example.com': { TXT: ['v=spf1 mx ~all'] }, 'example.org': { MX: ['mx.example.org'] } };
  const found = await findings(zone, env);
  expect(found).toMatchObject(['sender-domain', 'inbox'].map((id) => ({ id, ...example })));
});
