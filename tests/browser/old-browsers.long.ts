import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliDecompressSync } from 'node:zlib';
import { expect } from '@playwright/test';
import { extract } from 'tar';
import { PROJECT_ROOT } from '../../settings/settings.ts';
import { contactForm, outcomes } from '../../site/content/contact-form.ts';
import { filled } from '../../site/ui/words.ts';
import { closing } from '../support/network/closing.ts';
import { changeWords } from './engines/desk.ts';
import { converse, startProgram, type Tab, tabOf } from './engines/tab.ts';
import { MESSAGE, PHONE, rowsFrom, siteTest as test } from './visitor.ts';

// publish/browsers.ts says how much each may ask. The others of that list are checked in compatibility.spec.ts.

/** Packages that carry a Chromium for Linux with the libraries it needs, and the SHA-512 of each. */
const PACKAGES = {
  80: [
    'chrome-aws-lambda@2.1.1',
    'Wer2QuygxsCov5bM2+8CLa6qYpNsc5AxYTlgTne00aFoxFP491LGJRxOQtGnYtsJP6UG4pB0SfrwTyPnLys1Lw==',
  ],
  92: [
    'chrome-aws-lambda@10.1.0',
    'NZQVf+J4kqG4sVhRm3WNmOfzY0OtTSm+S8rg77pwePa9RCYHzhnzRs8YvNI6L9tALIW6RpmefWiPURt3vURXcw==',
  ],
  109: [
    '@sparticuz/chromium@109.0.6',
    '9hTE03DXnrWTiGNpfjLfmGhIfmiVAerSPinDb+x5bBdM4KF4PMM1NZ0A+V7WKazoA+CasSX/osHK8K0MuO6uqg==',
  ],
} as const;

const CACHE = join(PROJECT_ROOT, 'node_modules/.cache/old-browsers');

type Version = keyof typeof PACKAGES;
type Thrown = { text: string; exception?: { description?: string } };
type Told = {
  type?: string;
  args?: { value?: unknown; description?: string }[];
  entry?: { level: string; text: string };
  exceptionDetails?: Thrown;
};

const wordsOf = ({ text, exception }: Thrown) => exception?.description ?? text;

async function findOldChromium(version: Version): Promise<string> {
  const folder = join(CACHE, String(version));
  if (existsSync(folder)) return folder;
  await mkdir(CACHE, { recursive: true });
  const fresh = await mkdtemp(`${folder}-`);
  try {
    const [name, sha512] = PACKAGES[version];
    const { stdout } = await promisify(execFile)('npm', ['pack', name, '--json'], { cwd: fresh });
    const [{ filename, integrity }] = JSON.parse(stdout);
    if (integrity !== `sha512-${sha512}`) throw new Error(`${name} isn’t what it was: ${integrity}`);
    const archive = join(fresh, filename);
    await extract({ file: archive, cwd: fresh, strip: 2 });
    await rm(archive);
    const program = brotliDecompressSync(await readFile(join(fresh, 'chromium.br')));
    await writeFile(join(fresh, 'chromium'), program, { mode: 0o755 });
    // Some don't paint without the second one.
    for (const [packed, cwd] of [
      ['aws', fresh],
      ['swiftshader', join(fresh, 'swiftshader')],
    ] as const) {
      await mkdir(cwd, { recursive: true });
      await extract({ file: join(fresh, `${packed}.tar.br`), brotli: true, cwd });
    }
    await rename(fresh, folder).catch((error) => {
      // Another test was first.
      if (!existsSync(folder)) throw error;
    });
  } finally {
    await rm(fresh, { recursive: true, force: true });
  }
  return folder;
}

/** By the DevTools protocol: today's drivers no longer talk to these. */
async function launchOldChromium(version: Version) {
  const folder = await findOldChromium(version);
  const args = ['--headless', '--single-process', '--no-zygote', '--no-sandbox', '--disable-gpu'];
  const { address, close } = await startProgram(
    join(folder, 'chromium'),
    [...args, '--hide-scrollbars', '--remote-debugging-port=0', 'about:blank'],
    /DevTools listening on ws:\/\/([^/]+)\//,
    { ...process.env, LD_LIBRARY_PATH: join(folder, 'lib') },
  );
  const pages: { type: string; webSocketDebuggerUrl: string }[] = await (
    await fetch(`http://${address}/json`)
  ).json();
  const said: string[] = [];
  const send = await converse<Told>(
    pages.find(({ type }) => type === 'page')?.webSocketDebuggerUrl ?? '',
    ({ type, args, entry, exceptionDetails }) => {
      if (entry?.level === 'error') said.push(entry.text);
      else if (type === 'error')
        said.push(String(args?.map(({ value, description }) => value ?? description)));
      else if (exceptionDetails) said.push(wordsOf(exceptionDetails));
    },
  );
  for (const domain of ['Page', 'Runtime', 'Log']) await send(`${domain}.enable`);
  // They take 'instant' for the page's own way of scrolling, which is smooth.
  const features = [{ name: 'prefers-reduced-motion', value: 'reduce' }];
  await send('Emulation.setEmulatedMedia', { features });
  const tab = tabOf({
    resize(width, height) {
      const metrics = { width, height, deviceScaleFactor: 1, mobile: false };
      return send('Emulation.setDeviceMetricsOverride', metrics);
    },
    async open(url) {
      said.length = 0;
      await send('Page.navigate', { url });
    },
    complaints: () => said,
    async press(x, y) {
      for (const type of ['mouseMoved', 'mousePressed', 'mouseReleased'])
        await send('Input.dispatchMouseEvent', { type, x, y, button: 'left', clickCount: 1 });
    },
    type: (text) => send('Input.insertText', { text }),
    async evaluate(expression) {
      type Evaluated = { result: { value: string }; exceptionDetails?: Thrown };
      const asked = { awaitPromise: true, expression };
      const { result, exceptionDetails } = await send<Evaluated>('Runtime.evaluate', asked);
      if (exceptionDetails) throw new Error(wordsOf(exceptionDetails));
      return result.value;
    },
  });
  return closing({ tab, close });
}

const LAPTOP = { width: 1280, height: 720 };
const SUCCESS = [outcomes.sent.title, filled(outcomes).sent.description, contactForm.status.received];

test.skip(process.platform !== 'linux' || process.arch !== 'x64', 'these packages are for Linux on x64');

async function open(tab: Tab, address: string, { width, height } = PHONE): Promise<void> {
  await tab.resize(width, height);
  await tab.open(address);
  const isWhole = () =>
    tab.run(() => {
      const isStyled = [...document.styleSheets].some(({ href }) => href);
      const parts = [...document.querySelectorAll<HTMLElement>('main > *, main ~ *')];
      return (
        isStyled && document.readyState === 'complete' && parts.every(({ style }) => style.cssText === '')
      );
    });
  await expect.poll(isWhole).toBe(true);
}

const text = (tab: Tab) => tab.run(() => document.body.innerText);

function expectNoWordOfSuccess(said: string): void {
  for (const word of SUCCESS) expect(said).not.toContain(word);
}

async function expectReadable(tab: Tab, width: number): Promise<void> {
  const faults = await tab.run(() => {
    // Not `:is`, which they don't all have.
    const texts = document.querySelectorAll<HTMLElement>('main h1, main h2, main h3, main p, main summary');
    const faulty = [...texts].filter((one) => {
      const { left, right, width } = one.getBoundingClientRect();
      const range = document.createRange();
      range.selectNodeContents(one);
      const lines = new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size;
      const words = (one.innerText.match(/\p{L}+/gu) ?? []).length;
      const isSqueezed = words > 3 && lines > words;
      return width > 1 && (left < 0 || right > innerWidth || isSqueezed);
    });
    const sections = [...document.querySelectorAll<HTMLElement>('main > section')];
    return [...faulty, ...sections.filter(({ clientHeight }) => clientHeight < 100)].map(
      ({ tagName, innerText }) => `${tagName} ${innerText.slice(0, 30)}`,
    );
  });
  expect(faults).toEqual([]);
  expect(await tab.run(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
  // An unknown length once left it as small as text.
  const headline = () =>
    Number.parseFloat(getComputedStyle(document.querySelector('h1') ?? document.body).fontSize);
  expect(await tab.run(headline)).toBeGreaterThan(width < 1000 ? 30 : 60);
}

for (const [version, scripts] of [
  [80, false],
  [92, true],
  [109, true],
] as const) {
  test(`in Chromium ${version} the page reads, and a message arrives`, async ({ site }) => {
    await using browser = await launchOldChromium(version);
    const { tab } = browser;
    for (const size of [LAPTOP, PHONE])
      await test.step(`it reads at ${size.width} px`, async () => {
        await open(tab, `${site.url}/?${size.width}`, size);
        await expectReadable(tab, size.width);
        expectNoWordOfSuccess(await text(tab));
        // One row, with nothing over it
        expect(await tab.run(() => document.querySelector('header')?.offsetHeight)).toBeLessThan(72);
        const isCovered = () =>
          [...document.querySelectorAll('header a')].some((link) => {
            const { left, top, width, height } = link.getBoundingClientRect();
            const hit = document.elementFromPoint(left + width / 2, top + height / 2);
            return width > 0 && !link.contains(hit) && !hit?.contains(link);
          });
        expect(await tab.run(isCovered)).toBe(false);
      });

    await test.step('the menu’s button is there if it works', async () => {
      expect(await tab.seen('header [aria-controls]')).toBe(scripts);
      expect(await tab.seen('#mobile-menu')).toBe(false);
    });

    await test.step('the form sends, and says so only then', async () => {
      const message = { ...MESSAGE, email: `chromium-${version}@example.com` };
      for (const [field, value] of Object.entries(message)) {
        await tab.click(`#contact-form [name=${field}]`);
        await tab.type(value);
      }
      expectNoWordOfSuccess(await text(tab));
      await tab.click('#contact-form [type=submit]');
      await expect
        .poll(() => rowsFrom(site, message.email))
        .toMatchObject([{ name: message.name, message: message.message }]);
      // The page may be on its way to the answer.
      await expect.poll(() => text(tab).catch(() => '')).toContain(SUCCESS[1]);
      // From there, one can write again.
      expect(await tab.seen('a[href="#contact-name"]')).toBe(true);
    });

    expect(await tab.complaints()).toEqual([]);
  });
}

test('in Chromium 109, the owner types, moves a question, publishes both and goes back', async () => {
  await using browser = await launchOldChromium(109);
  const { tab } = browser;
  await changeWords(tab);
  // Before it's published for the first time, it has no fonts.
  const complaints = await tab.complaints();
  expect(complaints.filter((said) => !said.includes('404'))).toEqual([]);
});
