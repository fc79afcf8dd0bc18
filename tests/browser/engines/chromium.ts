import { chromium, type Page } from '@playwright/test';
import { findBrowser } from '../../support/site/find-browser.ts';
import { type Browser, Tab } from './tab.ts';

/** The same browser that Playwright's own tests use, with no more than the other engines' drivers can do. */
export async function launchChromium({ scripts } = { scripts: true }): Promise<Browser> {
  const browser = await chromium.launch({ executablePath: findBrowser(), args: ['--no-sandbox'] });
  const context = await browser.newContext({ javaScriptEnabled: scripts, locale: 'en-CA' });
  return {
    tab: new ChromiumTab(await context.newPage()),
    async openBehind(url) {
      const page = await context.newPage();
      const tab = new ChromiumTab(page);
      await tab.open(url);
      return { tab, show: () => page.bringToFront() };
    },
    close: () => browser.close(),
  };
}

class ChromiumTab extends Tab {
  readonly #page: Page;
  readonly #said: string[] = [];

  constructor(page: Page) {
    super();
    this.#page = page;
    page.on('console', (message) => {
      if (message.type() === 'error') this.#said.push(message.text());
    });
    page.on('pageerror', (error) => {
      this.#said.push(String(error));
    });
  }
  resize(width: number, height: number): Promise<void> {
    return this.#page.setViewportSize({ width, height });
  }
  async open(url: string): Promise<void> {
    this.#said.length = 0;
    await this.#page.goto(url, { waitUntil: 'domcontentloaded' });
  }
  async complaints(): Promise<string[]> {
    return this.#said;
  }
  press(x: number, y: number): Promise<void> {
    return this.#page.mouse.click(x, y);
  }
  type(text: string): Promise<void> {
    return this.#page.keyboard.type(text);
  }
  protected evaluate(expression: string): Promise<string> {
    return this.#page.evaluate(expression);
  }
}
