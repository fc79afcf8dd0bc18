import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliDecompressSync } from 'node:zlib';
import { extract } from 'tar';
import { PROJECT_ROOT } from '../../../settings/settings.ts';
import { type Browser, converse, startProgram, tabOf } from './tab.ts';

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

/** Fetched once, by npm. */
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
    // Some don't paint without the second.
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

/** By the DevTools protocol: the drivers of today no longer speak to these. */
export async function launchOldChromium(version: Version): Promise<Browser> {
  const folder = await findOldChromium(version);
  const args = ['--headless', '--single-process', '--no-zygote', '--no-sandbox', '--disable-gpu'];
  const { address, close } = await startProgram(
    join(folder, 'chromium'),
    [...args, '--hide-scrollbars', '--remote-debugging-port=0', 'about:blank'],
    /DevTools listening on ws:\/\/([^/]+)/,
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
  return { tab, close };
}
