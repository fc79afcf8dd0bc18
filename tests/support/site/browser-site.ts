import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { parseEnv } from 'node:util';
import { test as base, expect } from '@playwright/test';
import { PROJECT_ROOT } from '../../../settings/settings.ts';
import { startSmtpServer, type TestSmtpServer } from '../mail/smtp-server.ts';
import { COMPILED } from '../service/compiled.ts';
import { TEST_SITE } from './test-site.ts';

/** The built site, served by the real server, with its own database and mailbox. */
export type Site = { url: string; databaseFile: string; mailbox: TestSmtpServer };

type TestFixtures = {
  /** Call it for faults the test provokes: any other error, violation or failed request fails the test. */
  expectFault: (pattern: RegExp) => void;
};

/** Every setting, empty: an empty one is unset, and wins over the owner's `.env`. */
const UNSET = Object.fromEntries(
  Object.keys(parseEnv(readFileSync(join(PROJECT_ROOT, '.env.example'), 'utf8'))).map((name) => [name, '']),
);

export const test = base.extend<TestFixtures, { site: Site }>({
  site: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads from this pattern what a fixture needs
    async ({}, use) => {
      const folder = await mkdtemp(join(tmpdir(), 'site-under-test-'));
      const mailbox = await startSmtpServer();
      const databaseFile = join(folder, 'contact.db');
      const server = spawn(process.execPath, [join(PROJECT_ROOT, 'server/main.ts'), TEST_SITE], {
        cwd: folder,
        env: {
          PATH: process.env.PATH,
          ...COMPILED,
          ...UNSET,
          HOST: 'localhost',
          PORT: '0',
          DATABASE_URL: `file:${databaseFile}`,
          MAIL_DIR: join(folder, 'mail'),
          SMTP_URL: mailbox.url,
          LOG_LEVEL: 'warn',
        },
      });
      try {
        await use({ url: await addressOf(server), databaseFile, mailbox });
      } finally {
        if (server.exitCode === null) {
          server.kill('SIGTERM');
          await once(server, 'exit');
        }
        await mailbox.close();
        await rm(folder, { recursive: true, force: true });
      }
      expect(server.exitCode, 'the server ends cleanly when asked to').toBe(0);
    },
    { scope: 'worker' },
  ],

  baseURL: async ({ site }, use) => use(site.url),

  expectFault: [
    async ({ context }, use) => {
      const expected: RegExp[] = [];
      const faults: string[] = [];
      context.on('console', (message) => {
        if (message.type() === 'error') faults.push(`console.error: ${message.text()}`);
      });
      context.on('weberror', (error) => {
        faults.push(`uncaught: ${error.error().stack}`);
      });
      context.on('requestfailed', (request) => {
        const reason = request.failure()?.errorText;
        // The page was left, or its picture scrolled away, while something was still loading.
        if (reason !== 'net::ERR_ABORTED') faults.push(`request failed: ${reason} ${request.url()}`);
      });
      await use((pattern) => void expected.push(pattern));
      expect(faults.filter((fault) => !expected.some((pattern) => pattern.test(fault)))).toEqual([]);
    },
    { auto: true },
  ],
});

/** Reads until the server says where it listens. If it ends first, the error says why. */
async function addressOf(server: ChildProcess): Promise<string> {
  if (!server.stdout || !server.stderr) throw new Error('The server was started without its outputs');
  const said: string[] = [];
  server.stderr.setEncoding('utf8').on('data', (text: string) => said.push(text));
  for await (const line of createInterface(server.stdout)) {
    said.push(line);
    const address = /The page\s+(http:\S+)/.exec(line)?.[1];
    if (!address) continue;
    // Later warnings are for whoever reads the test's output.
    server.stdout.on('data', (text) => process.stdout.write(text));
    return address;
  }
  throw new Error(`The server ended before it listened:\n${said.join('\n')}`);
}
