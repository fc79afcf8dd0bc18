import { expect, test } from 'vitest';
import { SETTINGS } from '../../settings/schema.ts';
import { resolverOf } from '../../tests/support/network/dns-server.ts';
import { composeSmtp, OTHER, PROVIDERS, readAccount, suggestedFor } from './mail-account.ts';

const EMPTY = { service: '', host: '', port: '', user: '', password: '' };
const GMAIL = { ...EMPTY, service: 'Gmail', user: 'a#n/a%3F@example.com' };
const SIGNS = 'a#b/c@d:e%f?g&h=i+j "k\'l\\[m]é🙂%23';
const STORED = composeSmtp({ ...GMAIL, password: SIGNS }, undefined).url;

test('each provider on the list gives settings that are valid, encrypt, and are read back as that provider', () => {
  expect(PROVIDERS.length).toBeGreaterThan(60);
  for (const [service = '', description] of PROVIDERS) {
    const { url, faults } = composeSmtp({ ...GMAIL, service, password: 'x' }, undefined);
    expect(faults).toEqual({});
    const read = SETTINGS.smtpUrl.read(url, '');
    expect(read?.secure, description).toBe(read?.port === 465 || read?.port === 2465);
    const { service: again } = readAccount(url);
    // Amazon’s first region is in the list twice.
    expect(PROVIDERS.find(([key]) => key === again)?.[1]).toBe(description);
  }
});

test('a password keeps all its characters; an empty one keeps the stored one, but not for another server or user', () => {
  expect(readAccount(STORED)).toMatchObject({ user: GMAIL.user, stored: true });
  expect(SETTINGS.smtpUrl.read(STORED, '')?.login).toEqual({ user: GMAIL.user, password: SIGNS });
  expect(composeSmtp(GMAIL, STORED)).toEqual({ url: STORED, faults: {} });
  for (const other of [{ user: 'b@example.com' }, { service: 'FastMail' }]) {
    const { url, faults } = composeSmtp({ ...GMAIL, ...other }, STORED);
    expect(url).not.toContain('a%23b');
    expect(faults).toHaveProperty('password');
  }
  expect(composeSmtp(GMAIL, undefined).faults).toHaveProperty('password');
});

test('what an editor wrote stays as long as the server is the same', () => {
  const stored = 'smtps://ana:old@mail.example.com:10465?tls.rejectUnauthorized=false';
  const account = { ...readAccount(stored), password: '' };
  expect(composeSmtp(account, stored).url).toBe(stored);
  expect(composeSmtp({ ...account, password: 'new' }, stored).url).toBe(stored.replace('old', 'new'));
  expect(composeSmtp({ ...account, port: '587' }, stored).url).toBe('smtp://ana:old@mail.example.com:587');
});

test('what’s wrong is said beside its field; a relay needs no login', () => {
  const account = { service: OTHER, host: 'mail.example.com', port: '25', user: 'ana', password: 'x' };
  for (const [field, wrong] of Object.entries({ host: 'mail example', port: '70000', user: '' })) {
    const { faults } = composeSmtp({ ...account, [field]: wrong }, undefined);
    expect(faults).toEqual({ [field]: expect.any(String) });
  }
  const withPort = composeSmtp({ ...account, host: 'mail.example.com:25' }, undefined);
  expect(withPort.faults).toHaveProperty('host');
  const relay = { ...account, user: '', password: '' };
  expect(composeSmtp(relay, undefined)).toEqual({ url: 'smtp://mail.example.com:25', faults: {} });
});

test('the provider that takes mail for her address is suggested, if it’s a common one', async () => {
  const resolver = await resolverOf({
    'blueprint.ca': { MX: ['aspmx.l.google.com'] },
    'firm.ca': { MX: ['firm-ca.mail.protection.outlook.com'] },
    'own.ca': { MX: ['mx.own.ca'] },
  });
  const suggested = async (address: string) => (await suggestedFor(address, resolver))?.[0];
  expect(await suggested('ana@blueprint.ca')).toBe('Gmail');
  expect(await suggested('ana@firm.ca')).toBe('Outlook365');
  for (const address of ['ana@own.ca', 'ana@nowhere.ca']) expect(await suggested(address)).toBeUndefined();
});
