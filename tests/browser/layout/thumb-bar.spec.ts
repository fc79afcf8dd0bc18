import { expect } from '@playwright/test';
import { navigation } from '../../../site/content/navigation.ts';
import { problems } from '../../../site/content/problems.ts';
import { test } from '../../support/site/browser-site.ts';
import { eachSize, openPage } from '../visitor.ts';

test('one call to action is in the window wherever the form, and the questions before it, are not, and it offers to tell about what is ticked', async ({
  page,
}) => {
  await openPage(page);
  await eachSize(
    page,
    [
      { width: 320, height: 568 },
      { width: 768, height: 1024 },
    ],
    async () => {
      expect(await page.evaluate(faultsOfReach)).toEqual([]);
    },
  );

  await page.setViewportSize({ width: 390, height: 664 });
  const bar = page.locator('main > p > a');
  const boxes = page.getByRole('checkbox');
  const says = async (label: string) => {
    await expect(bar).toHaveAccessibleName(label);
    await expect(bar).toHaveText(label, { useInnerText: true });
    await expect(bar).toHaveAttribute('href', `#${navigation.callToAction.id}`);
  };
  await says(navigation.callToAction.label);
  await boxes.nth(1).check();
  await boxes.nth(4).check();
  await boxes.nth(1).uncheck();
  await says(problems.next);
  await test.step('header and bar together take at most 15 % of a phone', async () => {
    const heights = [page.getByRole('banner'), bar].map(async (part) => (await part.boundingBox())?.height);
    const [header = 664, below = 664] = await Promise.all(heights);
    expect(header + below).toBeLessThanOrEqual(0.15 * 664);
  });
  await boxes.nth(4).uncheck();
  await says(navigation.callToAction.label);
});

/** Runs in the page: scrolls until the questions before the form take over, and looks at what's in the window. */
async function faultsOfReach(): Promise<string[]> {
  const [header, hero, bar, questions] = [
    'header',
    '#hero-banner .button-signal',
    'main > p > a',
    '[aria-labelledby="questions-heading"]',
  ].map((selector) => {
    const found = document.querySelector(selector);
    if (!found) throw new Error(`nothing is ${selector}`);
    return () => found.getBoundingClientRect();
  }) as [() => DOMRect, () => DOMRect, () => DOMRect, () => DOMRect];
  const faults: string[] = [];
  for (let y = 0; ; y += y < innerHeight ? 16 : 200) {
    scrollTo({ top: y, behavior: 'instant' });
    await new Promise(requestAnimationFrame);
    if (questions().top <= innerHeight / 2) break;
    const top = Math.max(0, header().bottom);
    /** As part of what a thumb needs */
    const shown = (box: DOMRect) =>
      Math.min(Math.max(0, Math.min(box.bottom, innerHeight) - Math.max(box.top, top)), 44) / 44;
    const both = shown(hero()) + shown(bar());
    // While one leaves, the other comes.
    if (both < 0.7) faults.push(`at ${y} there is none`);
    if (both > 1.3) faults.push(`at ${y} there are two`);
    if (bar().bottom > questions().top + 1) faults.push(`at ${y} the bar covers a question`);
  }
  return faults;
}
