import { expect, test } from 'vitest';
import { startWebhookServer } from '../../tests/support/network/webhook-server.ts';
import { call, formPost, MESSAGE, openTestService } from '../../tests/support/service.ts';

async function open(env: Record<string, string> = {}) {
  const hook = await startWebhookServer();
  const site = { SITE_URL: 'https://www.example.com', TIME_ZONE: 'UTC', ALERT_WEBHOOK_URL: hook.url };
  const service = await openTestService({ ...site, ...env });
  return { ...service, ...hook, runDue: service.outbox.runDue };
}

test('the webhook hears of each message that is stored and not held, once, and not a word of it', async () => {
  const { app, runDue, posted, lines, answer, goDown } = await open();
  answer.status = 503;
  await app.request(...call());
  await app.request(...call());
  const held = await app.request(...formPost({ ...MESSAGE, message: 'Held', leave_this_empty: 'x' }));
  expect(held.headers.get('location'), 'as if it were sent').toBe('/#message-sent');
  await app.request(...call({ ...MESSAGE, email: 'nobody' }));
  // Nothing is mailed, as while the login is refused.
  await expect.poll(() => lines.join('')).toContain('ALERT_WEBHOOK_URL does not take the alert');
  expect(posted).toHaveLength(1);
  const text = 'New message on www.example.com. Answer by Sunday, November 22, 2026 at 12:00 UTC.';
  expect(posted[0]).toMatchObject({
    path: '/hush?secret=hush',
    body: JSON.stringify({ text }),
    // So that ntfy shows the text on a phone, by https://docs.ntfy.sh/publish/#message-templating
    headers: { 'content-type': 'application/json', 'x-template': 'yes', 'x-message': '{{.text}}' },
  });
  await goDown();
  await app.request(...call({ ...MESSAGE, message: 'stock, once more' }));
  await runDue();
  await expect
    .poll(() => lines.join(''))
    .toMatch(/"code":"(ECONNREFUSED|UND_ERR_SOCKET)".*ALERT_WEBHOOK_URL cannot be reached/);
  expect(JSON.stringify(posted) + lines.join('')).not.toMatch(/Ana|ana@|stock/);
  expect(lines.join('')).not.toContain('hush');
});

test('a flood posts no more often than mails may go out, and a redirect from the webhook doesn’t count as a yes', async () => {
  const { app, runDue, posted, store, answer, lines } = await open({ MAIL_PER_HOUR: '4' });
  answer.status = 301;
  for (let index = 0; index < 5; index += 1) await app.request(...call({ ...MESSAGE, message: `${index}` }));
  await runDue();
  await expect.poll(() => posted).toHaveLength(4);
  await expect.poll(() => lines.join('')).toContain('ALERT_WEBHOOK_URL cannot be reached');
  expect((await store.counts()).waiting).toBe(3);
});
