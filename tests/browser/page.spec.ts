import { expect } from '@playwright/test';
import { founder } from '../../site/content/founder.ts';
import { packages } from '../../site/content/packages.ts';
import { pillars } from '../../site/content/pillars.ts';
import { problems } from '../../site/content/problems.ts';
import { process } from '../../site/content/process.ts';
import { promises } from '../../site/content/promises.ts';
import { questions } from '../../site/content/questions.ts';
import { solution } from '../../site/content/solution.ts';
import { workingTogether } from '../../site/content/working-together.ts';
import { currencyCode, facts, filled, price, wordsFor } from '../../site/ui/words.ts';
import { linksIn, test } from './visitor.ts';

test('each section says what was agreed', async ({ page, visitor }) => {
  await page.clock.setFixedTime(new Date('2047-06-15T12:00:00Z'));
  await visitor.openStyled();
  await test.step('the sections are in the agreed order, and have the ids that links lead to', async () => {
    const sections = await page
      .locator('main > section')
      .evaluateAll((all) => all.map((section) => [section.id, section.querySelector('h1, h2')?.textContent]));
    expect(sections).toEqual([
      ['hero-banner', 'Fix What’s Slowing Your Business Down.'],
      ['', problems.heading],
      ['', solution.heading],
      ['process-overview', process.heading],
      ['service-pillars', pillars.heading],
      ['blueprint-journey', filled(packages).heading],
      ['', promises.heading],
      ['about-founder', founder.heading],
      ['work-together', 'What Working Together Looks Like'],
      ['', questions.heading],
      ['lets-map-your-blueprint', "Let's Map Your Blueprint"],
    ]);
  });

  await test.step('the hero links to the form and to how it works', async () => {
    await expect(page.getByRole('heading', { level: 1 })).toHaveCount(1);
    expect(await linksIn(page.locator('#hero-banner'))).toEqual([
      ['Let’s Find & Fix My Bottlenecks', '#lets-map-your-blueprint'],
      ['See How It Works', '#process-overview'],
    ]);
  });

  await test.step('what each section lists is there, in order', async () => {
    for (const [section, listed] of [
      ['[aria-labelledby=problems-heading]', problems.items],
      ['[aria-labelledby=solution-heading]', solution.items],
      ['#process-overview', process.steps],
      ['#service-pillars', pillars.items],
      ['[aria-labelledby=promises-heading]', promises.items],
      ['#work-together', workingTogether.steps],
    ] as const) {
      const titles = page.locator(section).getByRole('heading', { level: 3 });
      await expect(titles).toHaveText(listed.map(({ title }) => title));
      for (const { text } of filled(listed)) await expect(page.locator(section)).toContainText(text);
    }
  });

  await test.step('each package shows its words and figures, and the popular one another colour', async () => {
    const cards = page.locator('#blueprint-journey').getByRole('article');
    const { items, popularLabel, ...words } = filled(packages, facts);
    await expect(cards.getByRole('heading', { level: 3 })).toHaveText(items.map(({ title }) => title));
    for (const [at, { features, popular, ...item }] of items.entries()) {
      const card = cards.nth(at);
      for (const said of [
        `${at + 1} of ${items.length}`,
        `${price(item.price)} ${currencyCode}`,
        item.priceCaption,
        item.purpose,
        item.outcome,
        filled(wordsFor(item.timeline, words.timeline), { weeks: item.timeline }),
        filled(wordsFor(item.effort, words.effort), { hours: item.effort }),
      ])
        await expect(card).toContainText(said);
      await expect(card.getByRole('listitem')).toHaveText(features);
      await expect(card.getByText(popularLabel)).toHaveCount(popular ? 1 : 0);
    }
    const grounds = await cards.evaluateAll((all) =>
      all.map((card) => getComputedStyle(card).backgroundColor),
    );
    expect(grounds.map((ground) => ground !== grounds[0])).toEqual(items.map(({ popular }) => !!popular));
  });

  await test.step('the founder is introduced with a picture', async () => {
    const section = page.locator('#about-founder');
    await expect(section.getByRole('img')).toHaveAttribute('alt', /\S/);
    for (const paragraph of filled(founder.bio)) await expect(section).toContainText(paragraph);
  });

  await test.step('the contact section has the form, named by its heading, the address and the place', async () => {
    const section = page.getByRole('region', { name: "Let's Map Your Blueprint" });
    await expect(page.getByRole('form', { name: "Let's Map Your Blueprint" })).toHaveCount(1);
    const address = section.getByRole('link', { name: 'hello@example.com' });
    await expect(address).toHaveAttribute('href', 'mailto:hello@example.com');
    await expect(section.getByText('Based in Canada – serving globally.', { exact: true })).toBeVisible();
  });

  await test.step('the footer has its links in order, the address, the place, and the year of the visitor’s clock', async () => {
    const bottom = page.getByRole('contentinfo');
    expect(await linksIn(bottom)).toEqual(
      expect.arrayContaining([
        ['Home', '#hero-banner'],
        ['Services', '#service-pillars'],
        ['Packages', '#blueprint-journey'],
        ['Contact', '#lets-map-your-blueprint'],
        ['hello@example.com', 'mailto:hello@example.com'],
        ['Terms & Conditions', '#'],
        ['Privacy Policy', '#'],
      ]),
    );
    await expect(bottom.getByText('Based in Canada', { exact: true })).toBeVisible();
    await expect(bottom.getByText('©')).toContainText('© 2047');
  });

  await test.step('two to five packages fit a phone', async () => {
    await page.setViewportSize({ width: 320, height: 640 });
    const sheets = page.locator('#blueprint-journey article');
    for (const count of [5, 2]) {
      await sheets.evaluateAll((all, wanted) => {
        for (const sheet of all.slice(wanted)) sheet.remove();
        for (let more = all.length; more < wanted; more += 1) all[0]?.after(all[0].cloneNode(true));
      }, count);
      await expect(sheets).toHaveCount(count);
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(320);
    }
  });
});

test('every picture is there before anybody scrolls, and is of the theme', async ({ page, visitor }) => {
  await visitor.openStyled();
  const wrong = () =>
    page.evaluate(() => {
      const shown = new Set(
        [...document.images].filter((one) => one.checkVisibility()).map(({ src }) => src),
      );
      return [...document.images]
        .filter((one) => shown.has(one.src) !== one.naturalWidth > 0)
        .map(({ src }) => src);
    });
  await expect.poll(wrong).toEqual([]);

  await page.emulateMedia({ colorScheme: 'dark' });
  const drawings = await page.locator('img[src*=".svg#"]').evaluateAll((all) =>
    all.map((image) => ({
      src: image.getAttribute('src') ?? '',
      content: getComputedStyle(image).content,
    })),
  );
  expect(drawings.length).toBeGreaterThan(15);
  const light = drawings.filter(({ src, content }) => !content.endsWith(`${src}-dark")`));
  expect(light, 'but on the sheet that’s blue in both').toEqual([
    expect.objectContaining({ content: 'normal' }),
  ]);

  // One for a dark page looks dark by its address, whatever the theme.
  await page.emulateMedia({ colorScheme: 'light' });
  const lines = async (address: string) => {
    await page.goto(address);
    const grounds = page.locator(':root, .d-band');
    return grounds.evaluateAll((all) => all.map((one) => getComputedStyle(one).getPropertyValue('--line')));
  };
  const popular = (await page.locator('article:has(strong) img').getAttribute('src')) ?? '';
  const [plain = ''] = drawings.map(({ src }) => src).filter((src) => src !== popular);
  expect(await lines(`${plain}-dark`)).not.toEqual(await lines(plain));
  const [blue, pale] = await lines(popular);
  expect(pale, 'on the blue sheet').not.toBe(blue);
  expect((await lines(`${popular}-dark`))[1], 'on white paper').toBe(blue);
});
