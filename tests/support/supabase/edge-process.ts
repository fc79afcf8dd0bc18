import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../network/free-port.ts';
import { watch } from '../service/watch.ts';

const ROOT = join(import.meta.dirname, '../../..');
const require = createRequire(import.meta.url);

/** What Supabase's runtime lets a function do, from its crates/base/src/runtime/permissions.rs. */
const PERMISSIONS = ['--allow-env', '--allow-net', '--allow-read', '--allow-write', '--allow-sys=hostname'];

export const KEY = 'sb_publishable_of_this_project';
export const SWEEP_SECRET = 'a-secret-for-the-sweep-of-this-test';

/**
 * The function under real Deno, on packages that are already installed, behind a gateway like Supabase's. All that
 * it needs is set except SUPABASE_DB_URL; no mail server listens at SMTP_URL.
 */
export async function startEdgeFunction(env: Record<string, string>, root = ROOT) {
  const { runInstall } = require('deno/install_api.cjs') as { runInstall(): string };
  const folder = mkdtempSync(join(tmpdir(), 'deno-'));
  const projectUrl = `http://127.0.0.1:${await freePort()}`;
  const deno = spawn(
    runInstall(),
    [
      ...['run', '--quiet', '--no-prompt', '--no-lock', '--no-remote', '--cached-only', '--no-check'],
      ...['--node-modules-dir=manual', '--config=supabase/functions/send-contact-email/deno.json'],
      ...PERMISSIONS,
      'tests/support/supabase/edge-runtime.ts',
    ],
    {
      cwd: root,
      env: {
        PATH: process.env.PATH,
        HOME: folder,
        DENO_DIR: folder,
        DENO_NO_UPDATE_CHECK: '1',
        SUPABASE_URL: projectUrl,
        SUPABASE_PUBLISHABLE_KEYS: JSON.stringify({ default: KEY }),
        SITE_URL: 'https://site.example',
        CONTACT_EMAIL: 'owner@example.com',
        SMTP_URL: 'smtp://127.0.0.1:2525',
        SWEEP_SECRET,
        ...env,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  const { out, says, exited } = watch(deno);
  await says(/^listening$/m);
  return {
    /** Like a project's address: functions are below `/functions/v1/`. */
    projectUrl,
    out,
    async close() {
      deno.kill('SIGKILL');
      await exited;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
