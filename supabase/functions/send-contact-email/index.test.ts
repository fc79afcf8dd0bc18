import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { createClient } from '@supabase/supabase-js';
import { expect, test } from 'vitest';
import { FUNCTION_NAME } from '../../../contract/contact-message.ts';
import { DAY, HOUR } from '../../../contract/time.ts';
import { newPostgresDatabase, openAt } from '../../../tests/support/database/new-database.ts';
import { runSql } from '../../../tests/support/database/postgres-server.ts';
import { startSmtpServer } from '../../../tests/support/mail/smtp-server.ts';
import { certificate } from '../../../tests/support/network/certificates.ts';
import { untilEnd } from '../../../tests/support/network/until-end.ts';
import { startWebhookServer } from '../../../tests/support/network/webhook-server.ts';
import { MESSAGE, temporaryFolder } from '../../../tests/support/service.ts';
import { KEY, SWEEP_SECRET, startEdgeFunction } from '../../../tests/support/supabase/edge-process.ts';

const LEGACY_KEY = `eyJhbGciOiJIUzI1NiJ9.${Buffer.from('{"role":"anon"}').toString('base64url')}.c2ln`;

const start = (env: Record<string, string>) =>
  untilEnd(startEdgeFunction({ SUPABASE_ANON_KEY: LEGACY_KEY, ...env }));

async function startWithMail(env: Record<string, string> = {}) {
  const [database, mailbox] = await Promise.all([newPostgresDatabase(), untilEnd(startSmtpServer())]);
  // It has the tables, as `supabase db push` leaves it.
  await (await openAt(database)).close();
  const edge = await start({ SUPABASE_DB_URL: database, SMTP_URL: mailbox.url, ...env });
  return { ...edge, database, mailbox };
}

const invoke = ({ projectUrl }: { projectUrl: string }, body: object = MESSAGE, key = KEY, headers = {}) =>
  createClient(projectUrl, key).functions.invoke(FUNCTION_NAME, { body, headers });

const functionOf = ({ projectUrl }: { projectUrl: string }) => `${projectUrl}/functions/v1/${FUNCTION_NAME}`;

const sweep = (edge: { projectUrl: string }, secret = SWEEP_SECRET) =>
  fetch(`${functionOf(edge)}/sweep`, { method: 'POST', headers: { authorization: `Bearer ${secret}` } });

const states = async (database: string) =>
  (await runSql<{ state: string }>(database, 'select state from contact_message order by id')).map(
    ({ state }) => state,
  );

test('supabase-js sends a message, which is stored, answered and mailed, with either kind of key and no other, and the webhook hears not a word of it', async () => {
  const { posted, url } = await startWebhookServer();
  const edge = await startWithMail({ ALERT_WEBHOOK_URL: url });
  const { data, error } = await invoke(edge);
  expect({ data, error }).toEqual({ data: { ok: true, id: expect.any(String) }, error: null });
  const [mail] = await edge.mailbox.receives(1);
  expect(mail?.to).toEqual(['owner@example.com']);
  expect(mail?.parsed).toMatchObject({
    replyTo: [{ name: MESSAGE.name, address: MESSAGE.email }],
    messageId: `<${data.id}@example.com>`,
    text: expect.stringContaining(MESSAGE.message),
  });
  await expect.poll(() => states(edge.database)).toEqual(['sent']);
  await expect.poll(edge.out).toContain('work after the answer is done');
  expect(edge.out()).not.toContain(MESSAGE.email);
  await expect.poll(() => posted).toHaveLength(1);
  expect(JSON.parse(posted[0]?.body ?? '')).toEqual({ text: expect.stringContaining('site.example') });

  const another = { ...MESSAGE, message: 'Another' };
  expect((await invoke(edge, another, LEGACY_KEY)).error).toBeNull();
  expect((await invoke(edge, another, 'sb_publishable_of_another')).error.context.status).toBe(401);
  expect(await states(edge.database)).toHaveLength(2);
});

test('a sweep sends what couldn’t be sent, and does scheduled jobs, for whoever knows the secret', async () => {
  // Where it's 1 p.m. now, since no reminder comes at night.
  const ahead = 13 - new Date().getUTCHours();
  const timeZone = `Etc/GMT${ahead > 0 ? '-' : '+'}${Math.abs(ahead)}`;
  const edge = await startWithMail({ RETENTION_DAYS: '30', TIME_ZONE: timeZone });
  edge.mailbox.failAt('content', 451, 'put off');
  for (const message of ['An old one.', 'This is put off.', 'Unanswered.'])
    await invoke(edge, { ...MESSAGE, message });
  const tried = "select from contact_message where state = 'sent' or failures = 1";
  await expect.poll(() => runSql(edge.database, tried)).toHaveLength(3);
  // Or it would do the sweep's work.
  await expect.poll(() => edge.out().match(/work after the answer is done/g)).toHaveLength(3);
  await runSql(
    edge.database,
    `update contact_message set next_attempt_at = 0 where state = 'waiting';
    update contact_message set received_at = received_at - ${31 * DAY}::bigint, answered_at = received_at
      where message = 'An old one.';
    update contact_message set received_at = received_at - ${21 * HOUR}, sent_at = sent_at - ${21 * HOUR}
      where message = 'Unanswered.'`,
  );
  edge.mailbox.acceptAll();
  for (const secret of ['', 'a-secret-for-the-sweep-of-another', KEY])
    expect((await sweep(edge, secret)).status).toBe(401);
  expect(edge.mailbox.received).toHaveLength(2);
  for (const sent of [1, 0]) {
    const swept = await sweep(edge);
    expect([swept.status, await swept.json()]).toEqual([200, { ok: true, sent, failed: 0, set_aside: 0 }]);
  }
  // The one put off, and the reminder of the unanswered one.
  const subjects = edge.mailbox.received.slice(2).map(({ parsed }) => parsed.subject);
  expect(subjects).toEqual([expect.stringMatching(/^New message/), expect.stringMatching(/^Re: New/)]);
  const left = await runSql(edge.database, 'select message from contact_message order by id');
  expect(left).toEqual([{ message: 'This is put off.' }, { message: 'Unanswered.' }]);
  // As after a restore of what came while there was no mail server
  await runSql(
    edge.database,
    `insert into last_done values ('filed', 1);
    update contact_message set last_error = 'filed' where message = 'Unanswered.'`,
  );
  expect(await (await sweep(edge)).json()).toMatchObject({ sent: 1 });
  expect(await runSql(edge.database, "select what from last_done where what in ('filed', 'swept')")).toEqual([
    { what: 'swept' },
  ]);
});

test.each([
  ['on the platform, whatever they claim to be', { SB_REGION: 'ca-central-1' }, 200],
  ['elsewhere, by the last entry of the gateway', {}, 429],
])('each visitor has a limit of their own: %s', async (_, env, another) => {
  const edge = await startWithMail(env);
  const send = async (index: number, ip = another === 200 ? '203.0.113.7' : `203.0.113.${index}`) => {
    const headers = { 'cf-connecting-ip': ip, 'x-forwarded-for': `198.51.100.${index}` };
    const { error } = await invoke(edge, { ...MESSAGE, message: `Number ${index}` }, KEY, headers);
    return error ? error.context.status : 200;
  };
  const statuses = await Array.fromAsync({ length: 31 }, (_, index) => send(index));
  expect(statuses).toEqual([...Array(30).fill(200), 429]);
  expect(await send(31, '203.0.113.8')).toBe(another);
});

test('mail goes out by TLS from the first byte, as Supabase requires, with a login, and to no server without a valid certificate', async () => {
  const { key, cert } = await certificate({ trusted: false });
  const secure = await untilEnd(startSmtpServer({ secure: true, key, cert, authOptional: false }));
  const SMTP_URL = `smtps://user:hunter2@127.0.0.1:${secure.port}`;
  const DENO_CERT = join(temporaryFolder(), 'ca.pem');
  writeFileSync(DENO_CERT, cert);
  const [trusting, other] = [await startWithMail({ SMTP_URL, DENO_CERT }), await startWithMail({ SMTP_URL })];
  await invoke(other);
  await expect.poll(other.out).toMatch(/unreachable [A-Z]\w*CERT/);
  expect(await states(other.database)).toEqual(['waiting']);
  expect(secure.received).toEqual([]);
  expect(other.out()).not.toContain('hunter2');
  await invoke(trusting);
  const [mail] = await secure.receives(1);
  expect(mail?.parsed.text).toContain(MESSAGE.message);
  await expect.poll(() => states(trusting.database)).toEqual(['sent']);
});

test('without its database it says in the language of SENTENCES that nothing was saved, and gives the form back', async () => {
  const FRENCH = {
    language: 'fr-CA',
    fields: { email: { invalid: 'Entrez une adresse comme nom@exemple.ca.' } },
    notStored: 'Votre message n’a pas pu être enregistré.',
    page: { heading: 'Votre message n’a pas été envoyé', again: 'Renvoyer', back: 'Retour à la page' },
  };
  const SENTENCES = JSON.stringify(FRENCH);
  const edge = await start({ SUPABASE_DB_URL: 'postgres://user:password@127.0.0.1:1/gone', SENTENCES });
  const { error } = await invoke(edge);
  expect(error.context.status).toBe(503);
  expect(await error.context.json()).toMatchObject({ code: 'NOT_STORED', error: FRENCH.notStored });
  const typed = new URLSearchParams({ ...MESSAGE, email: 'nobody' });
  const page = await (await fetch(functionOf(edge), { method: 'POST', body: typed })).text();
  const said = [FRENCH.fields.email.invalid, ...Object.values(FRENCH.page), 'lang="fr-CA"', MESSAGE.message];
  for (const text of said) expect(page).toContain(text);
  expect(edge.out()).not.toContain('password');
});

test('with SENTENCES that can’t be read, it takes messages, and answers in English', async () => {
  const edge = await startWithMail({ SENTENCES: '{"language":' });
  expect((await invoke(edge)).error).toBeNull();
  expect(edge.out()).toContain('SENTENCES isn’t what stands in dist/_sentences.json');
});

test('settings that are wrong or missing are all named in the log, and visitors read that nothing was saved', async () => {
  const missing = { SITE_URL: '', CONTACT_EMAIL: '', SUPABASE_ANON_KEY: '' };
  const wrong = { SWEEP_SECRET: 'short', SUPABASE_PUBLISHABLE_KEYS: '{' };
  const edge = await start({ ...missing, ...wrong, SMTP_URL: 'smtp://user:secret@smtp.example.com' });
  const log = edge.out();
  const named = 'SITE_URL CONTACT_EMAIL SWEEP_SECRET DATABASE_URL VITE_SUPABASE_ANON_KEY';
  for (const setting of named.split(' ')) expect(log).toMatch(new RegExp(`^ +${setting} +\\S`, 'm'));
  expect(log).toMatch(/SMTP_URL +leads to port 587, which Supabase closes/);
  expect(log).not.toContain('secret@');
  const { error } = await invoke(edge);
  expect(error.context.status).toBe(503);
  expect(error.context.headers.get('access-control-allow-origin')).toBe('*');
  const page = await (
    await fetch(functionOf(edge), { method: 'POST', body: new URLSearchParams(MESSAGE) })
  ).text();
  expect(page).toContain(MESSAGE.message);
});

const { files, packages } = followImports(join(import.meta.dirname, 'index.ts'));

test('its packages are those that the function imports, in the server’s versions', () => {
  const { imports } = JSON.parse(readFileSync(join(import.meta.dirname, 'deno.json'), 'utf8')) as {
    imports: Record<string, string>;
  };
  const { dependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as {
    dependencies: Record<string, string>;
  };
  const named = new Set(Object.keys(imports).map((name) => name.replace(/\/$/, '')));
  expect([...packages].toSorted()).toEqual([...named].toSorted());
  for (const [name, target] of Object.entries(imports)) {
    const plain = name.replace(/\/$/, '');
    const version = dependencies[plain];
    expect(target).toBe(name === plain ? `npm:${plain}@${version}` : `npm:/${plain}@${version}/`);
  }
});

test('nothing in it needs anything that the platform’s Deno 2.1 lacks and the tests’ newer one has', () => {
  expect(files.size).toBeGreaterThan(20);
  for (const [file, source] of files) {
    const code = source.replace(/^import[^;]*?from 'node:buffer';/m, (found) => found.replace('Buffer', ''));
    if (code === source) expect(source, file).not.toMatch(/(?<!\w)Buffer\.|setImmediate\(/);
    expect(source, file).not.toMatch(
      /randomUUIDv7|RegExp\.escape|\{[^}]*\bparseEnv\b[^}]*\} from 'node:util'/,
    );
  }
});

/** All files imported for their values, directly or not, with their text, and the packages those import. */
function followImports(entry: string, files = new Map<string, string>(), packages = new Set<string>()) {
  if (files.has(entry)) return { files, packages };
  const source = readFileSync(entry, 'utf8');
  files.set(entry, source);
  const statements =
    /^(?:import|export)\s(?!type\b)(?:[^;']*?from )?'([^']+)'|(?<!typeof )\bimport\('([^']+)'\)/gm;
  for (const [, fixed, lazy] of source.matchAll(statements)) {
    const target = fixed ?? lazy ?? '';
    if (target.startsWith('.')) followImports(resolve(dirname(entry), target), files, packages);
    else if (!target.startsWith('node:')) packages.add(/^(@[^/]+\/)?[^/]+/.exec(target)?.[0] ?? '');
  }
  return { files, packages };
}
