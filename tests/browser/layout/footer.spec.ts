import { expect } from '@playwright/test';
import { test } from '../../support/site/browser-site.ts';

test('the footer has its quick links in order', async ({ page }) => {
  await page.goto('/');
  const links = page.getByRole('contentinfo').getByRole('navigation').getByRole('link');
  await expect(links).toHaveText(['Home', 'Services', 'Packages', 'Contact']);
  const targets = await links.evaluateAll((all) => all.map((link) => link.getAttribute('href')));
  expect(targets).toEqual([
    '#hero-banner',
    '#service-pillars',
    '#blueprint-journey',
    '#lets-map-your-blueprint',
  ]);
});

test('the footer has the address, the place and two links that lead nowhere yet', async ({ page }) => {
  await page.goto('/');
  const footer = page.getByRole('contentinfo');
  await expect(footer.getByRole('link', { name: 'hello@example.com' })).toHaveAttribute(
    'href',
    'mailto:hello@example.com',
  );
  await expect(footer.getByText('Based in Canada', { exact: true })).toBeVisible();
  for (const name of ['Terms & Conditions', 'Privacy Policy']) {
    await expect(footer.getByRole('link', { name })).toHaveAttribute('href', '#');
  }
});

test("the copyright line shows the year of the visitor's clock", async ({ page }) => {
  await page.clock.setFixedTime(new Date('2047-06-15T12:00:00Z'));
  await page.goto('/');
  await expect(page.getByRole('contentinfo').getByText('©')).toContainText('© 2047');
});
