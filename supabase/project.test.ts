import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { createClient } from '@supabase/supabase-js';
import { expect, test } from 'vitest';
import { FUNCTION_NAME } from '../contract/contact-message.ts';
import { migrations } from '../server/messages/migrate.ts';
import { openPostgres } from '../server/messages/postgres.ts';
import { parsePostgresUrl } from '../settings/server-url.ts';
import { newPostgresDatabase } from '../tests/support/database/new-database.ts';
import { runSql } from '../tests/support/database/postgres-server.ts';
import { portOf } from '../tests/support/network/free-port.ts';
import { untilEnd } from '../tests/support/network/until-end.ts';
import { MESSAGE, temporaryFolder } from '../tests/support/service.ts';
import { KEY, SWEEP_SECRET, startEdgeFunction } from '../tests/support/supabase/edge-process.ts';

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, '..');
/** 3.0 was the first version with the commands in docs/deploy-static.md. */
const VERSION = '3.1.0';
const PROJECT = 'abcdefghijklmnopqrst';

const options = `--yes --ignore-scripts --prefer-offline --fetch-retries=0 --package=supabase@${VERSION}`;
const args = [...options.split(' '), '-c', 'command -v supabase'];
const found = await run('npx', args, { cwd: '/' }).catch(() => undefined);
/** Where the real CLI is. It's 142 MB, so npx fetches it once for all tests; empty without a network. */
const cli = found?.stdout.trim() ?? '';

function supabaseCli() {
  const folder = temporaryFolder();
  for (const part of ['contract', 'server', 'settings', 'supabase'])
    cpSync(join(ROOT, part), join(folder, part), { recursive: true });
  const env = {
    PATH: process.env.PATH,
    HOME: folder,
    DO_NOT_TRACK: '1',
    SUPABASE_NO_UPDATE_NOTIFIER: '1',
    SUPABASE_ACCESS_TOKEN: `sbp_${'0'.repeat(40)}`,
  };
  return async (...args: string[]): Promise<string> => {
    const running = run(cli, [...args, '--yes'], { cwd: folder, env });
    running.child.stdin?.end();
    const { stdout, stderr } = await running;
    return stdout + stderr;
  };
}

/** A server that takes a function as Supabase's API does. `target` holds the options that point the CLI to it. */
async function startSupabaseApi() {
  const deployed: FormData[] = [];
  const server = createServer(async (request, response) => {
    const { method, url = '', headers } = request;
    response.setHeader('content-type', 'application/json');
    const body = new Uint8Array(await buffer(request));
    if (method !== 'POST') return void response.writeHead(404).end('{}');
    deployed.push(await new Response(body, { headers: headers as Record<string, string> }).formData());
    const slug = new URL(url, 'http://localhost').searchParams.get('slug');
    const made = { id: '1', slug, name: slug, status: 'ACTIVE', version: 1, created_at: 1, updated_at: 1 };
    response.writeHead(201).end(JSON.stringify(made));
  });
  const url = `http://127.0.0.1:${await portOf(await untilEnd(server))}`;
  const profile = join(temporaryFolder(), 'profile.yaml');
  const hosts = { project_host: 'supabase.localhost', pooler_host: 'supabase.localhost' };
  const target = { name: 'test', api_url: url, dashboard_url: url, docs_url: url, ...hosts };
  writeFileSync(profile, JSON.stringify(target));
  return { deployed, target: [`--remote=${PROJECT}`, '--profile', profile] };
}

/** What pg_cron creates, and what else in a project the schema looks for. */
const EXTENSIONS = `
  create schema cron; create schema net; create schema vault;
  create table cron.job (jobid bigserial primary key, schedule text, command text, jobname text unique);
  create function cron.schedule(name text, schedule text, command text) returns bigint language sql as
    'insert into cron.job (jobname, schedule, command) values ($1, $2, $3)
      on conflict (jobname) do update set schedule = $2, command = $3 returning jobid';
  create function cron.unschedule(id bigint) returns boolean language sql as
    'delete from cron.job where jobid = $1 returning true';
  create table cron.job_run_details (jobid bigint, runid bigserial primary key, job_pid integer, database text,
    username text, command text, status text, return_message text, start_time timestamptz, end_time timestamptz);
  create table net.call (url text, headers jsonb, body jsonb, timeout integer);
  create function net.http_post(url text, body jsonb default '{}', params jsonb default '{}',
    headers jsonb default '{}', timeout_milliseconds integer default 5000) returns bigint language sql
    as 'insert into net.call values ($1, $4, $2, $5) returning 1::bigint';
  create table vault.decrypted_secrets (name text, decrypted_secret text)`;

async function newProject(): Promise<string> {
  const url = await newPostgresDatabase();
  await runSql(url, EXTENSIONS);
  return url;
}

const byTheDesk = async (url: string) => (await openPostgres(parsePostgresUrl(url))).close();
/** As `supabase db push` runs them: whatever the server or the desk has done. */
async function byHand(url: string): Promise<void> {
  for (const { file } of migrations('postgres'))
    await runSql(url, `begin; ${readFileSync(file, 'utf8')}; commit`);
}

/** Everything in it except when each migration ran. */
const schemaOf = (url: string) =>
  runSql(
    url,
    `select table_name || ' ' || column_name || ' ' || data_type as part from information_schema.columns
      where table_schema = 'public'
    union all select indexdef from pg_indexes where schemaname = 'public'
    union all select relname || ' ' || relrowsecurity from pg_class where relnamespace = 'public'::regnamespace
    union all select jobname || schedule || command from cron.job order by part`,
  );

test('the tables are the same whether the desk makes them first, the migrations are pushed first, or both twice', async () => {
  const [desk, pushed, both] = await Promise.all([newProject(), newProject(), newProject()]);
  await byTheDesk(desk);
  await byHand(pushed);
  for (const make of [byTheDesk, byHand, byTheDesk, byHand]) await make(both);
  const schema = await schemaOf(desk);
  expect(schema.length).toBeGreaterThan(40);
  expect(await schemaOf(pushed)).toEqual(schema);
  expect(await schemaOf(both)).toEqual(schema);
});

const REPAIR = /npx supabase@3 (migration repair --status reverted) --remote \\\n([\d \\\n]+)/;

test.skipIf(!cli)('a version 0.4 project, repaired as the docs say, is migrated in one step', async () => {
  const [, command = '', versions = ''] = REPAIR.exec(readFileSync('docs/deploy-static.md', 'utf8')) ?? [];
  const [fresh, moved] = await Promise.all([newProject(), newProject()]);
  await byTheDesk(fresh);
  // As that version has pushed its tables, with a message.
  await runSql(moved, readFileSync('tests/support/database/schema-0.4.postgres.sql', 'utf8'));
  await runSql(
    moved,
    `create schema supabase_migrations;
      create table supabase_migrations.schema_migrations (version text primary key, statements text[], name text);
      insert into supabase_migrations.schema_migrations (version, name)
        select split_part(name, '_', 1), substring(name from 16) from contact_migration
        union all select split_part(name, '_', 1), substring(name from 16) from compatible_migration;
      insert into contact_message (id, received_at, name, email, message, state, next_attempt_at, sent_at, message_id, content_hash)
        values ('1', 1, 'Ana', 'ana@example.org', 'Hello', 'sent', 1, 2, '<1@example.com>', '1')`,
  );
  const supabase = supabaseCli();
  await expect(supabase('db', 'push', `--remote=${moved}`)).rejects.toThrow();
  await supabase(...command.split(' '), ...(versions.match(/\d+/g) ?? []), `--remote=${moved}`);
  expect(await supabase('db', 'push', `--remote=${moved}`)).toContain('Finished supabase db push');
  expect(await schemaOf(moved)).toEqual(await schemaOf(fresh));
  expect(await runSql(moved, 'select name, opened_at from contact_message')).toEqual([
    { name: 'Ana', opened_at: '2' },
  ]);
});

test('the one job calls the sweep each minute with the vault’s secret, and cuts pg_cron’s log of itself to a day', async () => {
  const database = await newProject();
  await byTheDesk(database);
  const jobs = await runSql<{ schedule: string; command: string }>(database, 'select * from cron.job');
  expect(jobs.map(({ schedule }) => schedule)).toEqual(['* * * * *']);
  const runJob = () => runSql(database, jobs[0]?.command ?? '');
  await runSql(
    database,
    `select cron.schedule('of-the-owner', '* * * * *', 'select 1');
    insert into cron.job_run_details (jobid, status, start_time, end_time)
    select jobid, status, at, at from cron.job, (values ('new', now()), ('old', now() - interval '25 hours'),
      ('never started', null)) run (status, at)`,
  );
  await runJob();
  const left = `select jobname || ': ' || status as run
    from cron.job_run_details join cron.job using (jobid) order by run`;
  expect((await runSql<{ run: string }>(database, left)).map(({ run }) => run)).toEqual([
    'contact-form-sweep: new',
    ...['of-the-owner: never started', 'of-the-owner: new', 'of-the-owner: old'],
  ]);
  expect(await runSql(database, 'select * from net.call'), 'before its address is known').toEqual([]);

  const edge = await untilEnd(startEdgeFunction({ SUPABASE_DB_URL: database }));
  await runSql(
    database,
    `insert into vault.decrypted_secrets values
      ('contact_form_url', '${edge.projectUrl}'), ('contact_form_sweep_secret', '${SWEEP_SECRET}')`,
  );
  await runJob();
  type Call = { url: string; headers: Record<string, string>; body: object };
  const [call] = await runSql<Call>(database, 'select * from net.call');
  const body = JSON.stringify(call?.body);
  const answer = await fetch(call?.url ?? '', { method: 'POST', headers: call?.headers ?? {}, body });
  expect([answer.status, await answer.json()]).toEqual([200, { ok: true, sent: 0, failed: 0, set_aside: 0 }]);
});

test.skipIf(!cli)('what the Supabase CLI deploys runs on its own, on the tables that it pushed', async () => {
  const database = await newProject();
  const api = await startSupabaseApi();
  const supabase = supabaseCli();
  const push = () => supabase('db', 'push', `--remote=${database}`);
  expect(await push()).toContain('Finished supabase db push');
  await byTheDesk(database);
  expect(await push()).toContain('up to date');
  await supabase('functions', 'deploy', FUNCTION_NAME, '--use-api', ...api.target);
  const [upload] = api.deployed;
  if (!upload) throw new Error('Nothing was deployed');
  expect(JSON.parse(String(upload.get('metadata')))).toMatchObject({
    entrypoint_path: `supabase/functions/${FUNCTION_NAME}/index.ts`,
    import_map_path: `supabase/functions/${FUNCTION_NAME}/deno.json`,
    verify_jwt: false,
  });
  const folder = temporaryFolder();
  for (const file of upload.getAll('file')) {
    if (typeof file === 'string') continue;
    const path = join(folder, file.name);
    mkdirSync(join(path, '..'), { recursive: true });
    writeFileSync(path, Buffer.from(await file.arrayBuffer()));
  }
  cpSync('tests/support/supabase/edge-runtime.ts', join(folder, 'tests/support/supabase/edge-runtime.ts'));
  symlinkSync(join(process.cwd(), 'node_modules'), join(folder, 'node_modules'));
  symlinkSync(join(process.cwd(), 'package.json'), join(folder, 'package.json'));
  const edge = await untilEnd(startEdgeFunction({ SUPABASE_DB_URL: database }, folder));
  const { functions } = createClient(edge.projectUrl, KEY);
  const { data, error } = await functions.invoke(FUNCTION_NAME, { body: MESSAGE });
  expect({ data, error }).toEqual({ data: { ok: true, id: expect.any(String) }, error: null });
  expect(await runSql(database, 'select id from contact_message')).toEqual([{ id: data.id }]);
});
