import { expect } from '@playwright/test';
import { notFound } from '../../site/content/error-pages.ts';
import { test } from '../support/site/browser-site.ts';

test('a wrong address is answered 404 with a page that leads home', async ({
  page,
  baseURL,
  expectFault,
}) => {
  expectFault(/status of 404/);
  const back = page.getByRole('link', { name: notFound.back });
  for (const path of ['/about/us.html', '/assets/gone-12345678.js', '/%']) {
    await test.step(path, async () => {
      const answer = await page.goto(path);
      expect(answer?.status()).toBe(404);
      expect(answer?.headers()['cache-control']).toBe('no-cache');
      await expect(page.getByRole('heading', { level: 1 })).toHaveText(notFound.heading);
      await expect(back).toHaveJSProperty('href', `${baseURL}/`);
    });
  }
  await back.click();
  await expect(page).toHaveURL('/');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Fix What’s Slowing Your Business Down.');
});
