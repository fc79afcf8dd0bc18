import { test as base, expect } from '@playwright/test';
import { startSmtpServer, type TestSmtpServer } from '../mail/smtp-server.ts';
import { serveSite } from './serve-site.ts';
import { TEST_SITE } from './test-site.ts';

/** The built site, with a database and mailbox of its own. */
export type Site = { url: string; databaseFile: string; mailbox: TestSmtpServer };

type TestFixtures = {
  /** Call it for faults the test provokes: any other error, violation or failed request fails the test. */
  expectFault: (pattern: RegExp) => void;
};

export const test = base.extend<TestFixtures, { site: Site }>({
  site: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads from this pattern what a fixture needs
    async ({}, use) => {
      const mailbox = await startSmtpServer();
      const { origin, databaseFile, close } = await serveSite(TEST_SITE, { SMTP_URL: mailbox.url });
      await use({ url: origin, databaseFile, mailbox });
      await close();
      await mailbox.close();
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
