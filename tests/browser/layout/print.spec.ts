import { expect, type Page } from '@playwright/test';
import read from 'qr/decode.js';
import sharp from 'sharp';
import { brand } from '../../../site/content/business.ts';
import { packages } from '../../../site/content/packages.ts';
import { problems } from '../../../site/content/problems.ts';
import { currencyCode, price } from '../../../site/ui/words.ts';
import { ONLINE_SITE, PUBLIC_ADDRESS } from '../../support/site/test-site.ts';
import { sheetsIn, test } from '../visitor.ts';

// A Letter sheet within its margins, close enough for a camera
test.use({ deviceScaleFactor: 2, viewport: { width: 702, height: 965 } });
// With an address, which the letterhead shows
test.use({ folder: ONLINE_SITE });

async function openPrinted(page: Page): Promise<void> {
  await page.goto('/');
  await expect(page.locator('footer')).toBeVisible();
  await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
}

test('the page prints on two sheets, or three with more and longer words', async ({ page }) => {
  const sheets = async (format: string) => sheetsIn(await page.pdf({ format }));
  await openPrinted(page);
  for (const format of ['A4', 'Letter']) expect(await sheets(format), format).toBe(2);
  await page.locator('article').evaluateAll(([first]) => {
    for (let more = 3; more < 5; more += 1) first?.after(first.cloneNode(true));
    for (const one of document.querySelectorAll('article h3, article li'))
      one.append(' and Lagerbestandsverwaltungssysteme');
  });
  await expect(page.locator('article')).toHaveCount(5);
  for (const format of ['A4', 'Letter']) expect(await sheets(format), format).toBeLessThanOrEqual(3);
});

for (const javaScriptEnabled of [true, false])
  test.describe(javaScriptEnabled ? 'with JavaScript' : 'without JavaScript', () => {
    test.use({ javaScriptEnabled });

    test('paper is white, with a letterhead, the prices and a request', async ({ page, visitor }) => {
      await openPrinted(page);
      if (javaScriptEnabled) await visitor.expectAlive();
      const address = page.locator('[rel="canonical"]');
      const { host } = new URL(PUBLIC_ADDRESS);
      await expect(address).toHaveCSS('content', new RegExp(host), { pseudo: 'before' });
      const headline = await page.locator('h1').boundingBox();
      for (const part of [
        address,
        page.locator('header').getByText(brand.name),
        page.locator('footer').getByText('hello@example.com'),
        page.locator('footer').getByText('Based in Canada'),
      ]) {
        await expect(part).toBeVisible();
        const box = await part.boundingBox();
        expect((box?.y ?? Infinity) + (box?.height ?? 0)).toBeLessThan(headline?.y ?? 0);
      }
      const clip = await page.locator('footer').getByText('hello@example.com').boundingBox();
      await page.locator('footer').evaluate((footer) => footer.remove());
      const { channels } = await sharp(await page.screenshot(clip ? { clip } : {}))
        .removeAlpha()
        .stats();
      expect(Math.min(...channels.map(({ min }) => min)), 'nothing else is where that was').toBe(255);
      // Paper has a margin.
      const margin = { top: 40, right: 40, background: '#fff' };
      const picture = sharp(await page.screenshot())
        .extend(margin)
        .ensureAlpha()
        .raw();
      const { data, info } = await picture.toBuffer({ resolveWithObject: true });
      expect(read({ data, ...info })).toBe(PUBLIC_ADDRESS);

      for (const item of packages.items) {
        await expect(page.getByRole('heading', { name: item.title })).toBeVisible();
        const cost = `${price(item.price)} ${currencyCode}`.trim();
        await expect(page.getByText(cost, { exact: true }).first()).toBeVisible();
      }
      const plans = page.locator('#hero-banner svg').filter({ visible: true });
      const [was, is] = await plans.evaluateAll((all) => all.map((one) => one.getBoundingClientRect()));
      expect([was?.width, was?.top], 'a comparison has one scale').toEqual([is?.width, is?.top]);

      // The request has a box for each problem, of which the second is ticked, and each package, and lines for a pen.
      await page.emulateMedia({ media: 'screen' });
      await page.getByRole('checkbox').nth(1).check();
      await page.emulateMedia({ media: 'print' });
      const entries = page.locator('#contact-topics li:visible');
      const numbered = problems.items.map(({ title }, at) => `${at + 1}${title}`);
      await expect(entries).toHaveText([...numbered, ...packages.items.map(({ title }) => title)]);
      const boxes = entries.evaluateAll((all) => all.map((one) => getComputedStyle(one, '::before')));
      const [first, second] = await boxes;
      expect(first?.width).toBe(first?.height);
      expect(second?.backgroundColor).not.toBe(first?.backgroundColor);
      const [apart = 0, height = 0] = await visitor.messageField.evaluate((field) => {
        const style = getComputedStyle(field);
        return [Number.parseFloat(style.lineHeight), Number.parseFloat(style.height)];
      });
      // In pixels, of which 96 are an inch: a hand needs 8 mm.
      expect(apart).toBeGreaterThan(30);
      expect(height / apart).toBeGreaterThan(10);

      await expect(page.locator('#lets-map-your-blueprint').getByText('hello@example.com')).toBeVisible();
      for (const hidden of ['nav', '.button', 'button', '[type="radio"]'])
        await expect(page.locator(hidden).filter({ visible: true }), hidden).toHaveCount(0);
      for (const sheet of ['html', '#blueprint-journey article:has(strong)'])
        await expect(page.locator(sheet)).toHaveCSS('background-color', 'rgb(255, 255, 255)');
      // Its drawing is for a blue sheet, except on paper.
      await expect(page.locator('article:has(strong) img')).toHaveCSS('content', /-dark"\)$/);
      await expect(page.locator('h1')).toHaveCSS('color', 'rgb(10, 26, 58)');
    });
  });
