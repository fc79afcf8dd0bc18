import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from '@playwright/test';
import { publish } from '../../publish/publish.ts';
import { type Words, writeOwn } from '../../publish/words.ts';
import { readSettings } from '../../settings/settings.ts';
import { outcomes } from '../../site/content/contact-form.ts';
import { test } from '../support/site/browser-site.ts';
import { serveSite } from '../support/site/serve-site.ts';
import { openPage, send, toast } from './visitor.ts';

test('a page that was open while other words were published goes on in its own: its pictures, its form and what that says', async ({
  page,
}) => {
  const folder = await mkdtemp(join(tmpdir(), 'open-page-'));
  const dist = join(folder, 'dist');
  const put = async (own: Words) => {
    await writeOwn(folder, own);
    await publish(readSettings({ WORDS_DIR: folder }), dist);
  };
  await put({});
  const { origin, reload, close } = await serveSite(dist);
  try {
    await openPage(page, origin);
    const asked: string[] = [];
    page.on('response', (response) => {
      if (new URL(response.url()).pathname.startsWith('/assets/')) asked.push(response.url());
    });
    const { sent } = outcomes;
    await put({
      hero: { headline: 'Ça coince où ?' },
      process: { lettering: { waiting: 'Queue' } },
      contactForm: { fields: { name: { label: 'Nom' } }, button: 'Envoyer' },
      outcomes: { sent: { title: 'Merci !' } },
    });
    reload();

    await page.locator('img').evaluateAll((all: HTMLImageElement[]) => {
      for (const picture of all) picture.loading = 'eager';
    });
    await expect
      .poll(() =>
        page.locator('img').evaluateAll((all: HTMLImageElement[]) => all.filter((one) => !one.naturalWidth)),
      )
      .toEqual([]);
    await send(page);
    await expect(toast(page)).toContainText(sent.title);
    // What the form needs to send comes once somebody is in it.
    expect(asked.join()).toContain('in-form');

    await page.reload();
    await expect(page.locator('h1')).toHaveText('Ça coince où ?');
    await page.getByRole('textbox', { name: 'Nom', exact: true }).fill('Ada');
    await page.getByRole('textbox', { name: 'Email', exact: true }).fill('ada@example.com');
    await page.getByRole('textbox', { name: 'Message', exact: true }).fill('Bonjour');
    await page.getByRole('button', { name: 'Envoyer' }).click();
    await expect(toast(page)).toContainText('Merci !');
  } finally {
    await close();
    await rm(folder, { recursive: true, force: true });
  }
});
