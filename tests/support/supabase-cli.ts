import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { onTestFinished } from 'vitest';
import { temporaryFolder } from './open-test-service.ts';

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, '../..');
/** 3.0 was the first version with the commands in docs/deploy.md. */
const VERSION = '3.1.0';
const PROJECT = 'abcdefghijklmnopqrst';

/** Where the real CLI is. It's 142 MB, so npx fetches it once for all tests; undefined without a network. */
export async function findSupabaseCli(): Promise<string | undefined> {
  const fetchAndFind = [
    '--yes',
    '--ignore-scripts',
    '--prefer-offline',
    '--fetch-retries=0',
    `--package=supabase@${VERSION}`,
    '-c',
    'command -v supabase',
  ];
  const { stdout } = await run('npx', fetchAndFind, { cwd: '/' }).catch(() => ({ stdout: '' }));
  return stdout.trim() || undefined;
}

/** The CLI in a copy of this project, isolated from its user's settings. */
export function supabaseCli(cli = '') {
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
export async function startSupabaseApi() {
  const deployed: FormData[] = [];
  const server = createServer(async (request, response) => {
    const { method, url = '', headers } = request;
    response.setHeader('content-type', 'application/json');
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    if (method !== 'POST' || !url.startsWith(`/v1/projects/${PROJECT}/functions/deploy?`)) {
      return void response.writeHead(404).end('{"message":"There is no such address"}');
    }
    deployed.push(
      await new Response(Buffer.concat(chunks), {
        headers: { 'content-type': headers['content-type'] ?? '' },
      }).formData(),
    );
    const slug = new URL(url, 'http://localhost').searchParams.get('slug');
    const times = { created_at: 1, updated_at: 1 };
    response
      .writeHead(201)
      .end(JSON.stringify({ id: '1', slug, name: slug, status: 'ACTIVE', version: 1, ...times }));
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  onTestFinished(() => new Promise<void>((closed) => server.close(() => closed())));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const profile = join(temporaryFolder(), 'profile.yaml');
  const hosts = { project_host: 'supabase.localhost', pooler_host: 'supabase.localhost' };
  writeFileSync(
    profile,
    JSON.stringify({ name: 'test', api_url: url, dashboard_url: url, docs_url: url, ...hosts }),
  );
  return { deployed, target: [`--remote=${PROJECT}`, '--profile', profile] };
}

/** A project made only of the uploaded files and packages. */
export async function unpack(upload: FormData): Promise<string> {
  const folder = temporaryFolder();
  for (const file of upload.getAll('file')) {
    if (typeof file === 'string') continue;
    const path = join(folder, file.name);
    mkdirSync(join(path, '..'), { recursive: true });
    writeFileSync(path, Buffer.from(await file.arrayBuffer()));
  }
  return folder;
}
