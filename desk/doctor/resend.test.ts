import { expect, onTestFinished, test } from 'vitest';
import { RESEND_KEY, startResendServer } from '../../tests/resend-server.ts';
import { linesOf } from '../../tests/run-check.ts';
import { resend as resendCheck } from './resend.ts';

async function resend() {
  const server = await startResendServer();
  onTestFinished(() => server.close());
  const check = async (change: Record<string, string> = {}) => {
    const env = {
      RESEND_API_KEY: RESEND_KEY,
      RESEND_BASE_URL: server.url,
      MAIL_FROM: 'web@blueprint.ca',
      ...change,
    };
    const lines = await linesOf(resendCheck, env);
    expect(lines.join()).not.toContain(env.RESEND_API_KEY);
    return lines;
  };
  const domains = (...data: { name: string; status: string }[]) =>
    server.failNext({ status: 200, body: JSON.stringify({ data }) });
  return { server, check, domains };
}

test('a key that may send and no more is well, since nothing else is wanted', async () => {
  const { server, check } = await resend();
  server.failNext({ status: 401, name: 'restricted_api_key' });
  expect(await check()).toEqual([
    expect.stringMatching(/^mail-server ok: 127\.0\.0\.1:\d+ answers\.$/),
    'mail-login ok: Accepted. It can only send mail, which is enough.',
  ]);
  expect(server.sent).toEqual([]);
});

test('a key that may see the domains tells whether the sender’s is one of them', async () => {
  const { check, domains } = await resend();
  domains({ name: 'other.ca', status: 'verified' }, { name: 'blueprint.ca', status: 'verified' });
  expect((await check())[2]).toBe('mail-sender ok: Resend sends for blueprint.ca.');
  domains({ name: 'blueprint.ca', status: 'not_started' });
  expect((await check())[2]).toBe(
    'mail-sender wrong: Resend does not send for blueprint.ca yet (not started).',
  );
  domains({ name: 'other.ca', status: 'verified' });
  expect((await check())[2]).toMatch(/^mail-sender wrong: Your Resend account doesn’t have blueprint\.ca/);
  domains();
  expect((await check({ MAIL_FROM: 'onboarding@resend.dev' }))[2]).toMatch(/^mail-sender look: /);
});

test('a wrong key, a broken answer and a host that is not there are told apart', async () => {
  const { server, check } = await resend();
  server.failNext({ status: 403, name: 'invalid_api_key' });
  expect((await check({ RESEND_API_KEY: 're_wrong' }))[1]).toMatch(
    /^mail-login wrong: .*refuses RESEND_API_KEY \(code 403\)/,
  );
  server.failNext({ status: 500, name: 'application_error' });
  expect(await check()).toEqual([expect.stringMatching(/^mail-server look: .*answers with code 500/)]);
  server.failNext('cut');
  expect(await check()).toEqual([expect.stringMatching(/^mail-server wrong: .*cannot be reached/)]);
});
