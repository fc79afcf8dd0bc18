import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { eachField } from '../../contract/contact-message.ts';
import { MINUTE } from '../../contract/time.ts';
import { startSmtpServer } from '../../tests/support/mail/smtp-server.ts';
import { untilEnd } from '../../tests/support/network/until-end.ts';
import { startWebhookServer } from '../../tests/support/network/webhook-server.ts';
import { call, formPost, openTestService, PATH, peer, START, setTime } from '../../tests/support/service.ts';

const CANARY = {
  ...eachField(() => 'canary'),
  name: 'Canary Nameless',
  email: 'canary@bird.example',
  message: 'canary yellow feathers, telephone 555 0100',
};
const HEADERS = {
  'x-request-id': 'canary',
  'idempotency-key': 'canary',
  'user-agent': 'canary',
  'x-forwarded-for': '198.51.100.77',
  referer: 'https://canary.example/?canary',
  baggage: 'who=canary',
};
const TRACE = /canary|nameless|bird\.example|feathers|555 0100|198\.51\.100\.77|203\.0\.113\.9/i;
const SECRET = /hunter2|hush|sb_publishable/;

const visitor = peer('203.0.113.9');

type Ask = [path: string, init: RequestInit];

/** Sends the canary in every way there is, and returns the response bodies that aren't pages. */
async function provoke({ app, database }: Awaited<ReturnType<typeof openTestService>>): Promise<string[]> {
  const bodies: string[] = [];
  const ask = async ([path, init]: Ask) => {
    const response = await app.request(path, init, visitor);
    const body = await response.text();
    // The form without JavaScript must give back what was typed, and only the visitor sees it.
    if (!response.headers.get('content-type')?.startsWith('text/html')) bodies.push(body);
    for (const [, value] of response.headers) bodies.push(value);
    return response.status;
  };
  const asks: [status: number, Ask][] = [
    [200, call(CANARY, HEADERS)],
    [303, formPost({ ...CANARY, leave_this_empty: 'canary' }, HEADERS)],
    [422, formPost({ ...CANARY, email: 'canary' }, HEADERS)],
    [422, call({ ...CANARY, email: 'canary canary' }, HEADERS)],
    [422, call({ ...CANARY, name: { canary: 'canary' } }, HEADERS)],
    [422, call({ ...CANARY, message: `canary ${'x'.repeat(10_000)}` }, HEADERS)],
    [400, call(`${JSON.stringify(CANARY)} canary`, HEADERS)],
    [413, call(`canary ${'x'.repeat(70_000)}`, HEADERS)],
    [401, call(CANARY, { ...HEADERS, apikey: 'canary' })],
    [415, call(CANARY, { ...HEADERS, 'content-type': 'text/canary' })],
    [415, call(CANARY, { ...HEADERS, 'content-encoding': 'canary' })],
    [403, call(CANARY, { ...HEADERS, origin: 'https://canary.example' })],
    [405, [`${PATH}?name=canary`, { method: 'PATCH', headers: HEADERS }]],
    [404, [`${PATH}/canary`, { method: 'POST', headers: HEADERS }]],
    [404, ['/canary.html', { headers: HEADERS }]],
  ];
  for (const [status, request] of asks) expect(await ask(request), request[0]).toBe(status);
  await sql`create trigger full before insert on contact_message
    begin select raise(abort, 'canary: disk full'); end`.execute(database.db);
  const again = { ...CANARY, message: 'canary again' };
  expect(await ask(call(again, { ...HEADERS, 'idempotency-key': 'canary 2' }))).toBe(503);
  await sql`drop trigger full`.execute(database.db);
  for (let index = 0; index < 30; index += 1) await ask(call(CANARY, HEADERS));
  expect(await ask(call(CANARY, HEADERS))).toBe(429);
  return bodies;
}

test('no log line of any level, answer, health check, alert or stored fault names anybody', async () => {
  const mail = await untilEnd(startSmtpServer());
  const hook = await startWebhookServer();
  const service = await openTestService({
    LOG_LEVEL: 'trace',
    SMTP_URL: mail.url.replace('//', '//user:hunter2@'),
    ALERT_WEBHOOK_URL: hook.url,
    ALLOWED_ORIGINS: 'https://page.example',
    SITE_URL: 'https://page.example',
  });
  const bodies = await provoke(service);
  const { store, outbox, trouble, app, lines, database } = service;
  // Replies that repeat what the mail server was told, as real ones do. A refused login is the last, since nothing is
  // mailed after it.
  const faults = new Set<string | null>();
  let now = START;
  for (const [step, code] of [
    ['mail', 451],
    ['recipient', 451],
    ['content', 421],
    ['recipient', 550],
    ['content', 554],
    ['auth', 535],
  ] as const) {
    await store.add({ ...CANARY, message: `canary ${step} ${code}` }, { now });
    mail.failAt(step, code);
    now += 40 * MINUTE;
    setTime(now);
    await outbox.runDue();
    await trouble.check(now + 20 * MINUTE);
    const rows = await database.db.selectFrom('contact_message').select('last_error').execute();
    for (const { last_error: fault } of rows) faults.add(fault);
    mail.acceptAll();
  }
  expect([...faults]).toEqual([
    ...['retry smtp-451', 'retry smtp-421', 'mailbox smtp-550', 'refused smtp-554', 'setup smtp-535'],
  ]);
  for (const path of ['/healthz', '/readyz']) bodies.push(await (await app.request(path)).text());
  expect(hook.posted.length).toBeGreaterThan(0);
  expect(lines.length).toBeGreaterThan(1);
  const everything = [...lines, ...bodies, ...hook.posted.map(({ body }) => body)].join('\n');
  expect(everything).not.toMatch(TRACE);
  expect(everything).not.toMatch(SECRET);
});
