import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream, existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { createBrotliDecompress } from 'node:zlib';
import { extract } from 'tar';
import { PROJECT_ROOT } from '../../../settings/settings.ts';
import { type Browser, converse, type Send, startBrowser, Tab } from './tab.ts';

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
type Told = {
  type?: string;
  args?: { value?: unknown; description?: string }[];
  entry?: { level: string; text: string };
  exceptionDetails?: { text: string; exception?: { description?: string } };
};

/** Fetched once, by npm. */
async function findOldChromium(version: Version): Promise<string> {
  const folder = join(CACHE, String(version));
  if (existsSync(folder)) return folder;
  await mkdir(CACHE, { recursive: true });
  const fresh = await mkdtemp(`${folder}-`);
  try {
    const [name, sha512] = PACKAGES[version];
    const { stdout } = await promisify(execFile)('npm', ['pack', name, '--json'], { cwd: fresh });
    const archive = join(fresh, JSON.parse(stdout)[0].filename);
    const found = createHash('sha512')
      .update(await readFile(archive))
      .digest('base64');
    if (found !== sha512) throw new Error(`${name} isn’t what it was: ${found}`);
    await extract({ file: archive, cwd: fresh });
    await rm(archive);
    for (const packed of ['chromium', 'aws.tar', 'swiftshader.tar'])
      await pipeline(
        createReadStream(join(fresh, `package/bin/${packed}.br`)),
        createBrotliDecompress(),
        createWriteStream(join(fresh, packed)),
      );
    await extract({ file: join(fresh, 'aws.tar'), cwd: fresh });
    // Some don't paint without it.
    await mkdir(join(fresh, 'swiftshader'));
    await extract({ file: join(fresh, 'swiftshader.tar'), cwd: join(fresh, 'swiftshader') });
    await chmod(join(fresh, 'chromium'), 0o755);
    await rename(fresh, folder).catch((error) => {
      // Another test was first.
      if (!existsSync(folder)) throw error;
    });
  } finally {
    await rm(fresh, { recursive: true, force: true });
  }
  return folder;
}

export async function launchOldChromium(version: Version): Promise<Browser> {
  const folder = await findOldChromium(version);
  const args = ['--headless', '--single-process', '--no-zygote', '--no-sandbox', '--disable-gpu'];
  const chromium = await startBrowser(
    join(folder, 'chromium'),
    [...args, '--hide-scrollbars', '--remote-debugging-port=0', 'about:blank'],
    /DevTools listening on ws:\/\/([^/]+)/,
    { ...process.env, LD_LIBRARY_PATH: join(folder, 'lib') },
  );
  const pages: { type: string; webSocketDebuggerUrl: string }[] = await (
    await fetch(`http://${chromium.address}/json`)
  ).json();
  const said: string[] = [];
  const send = await converse<Told>(
    pages.find(({ type }) => type === 'page')?.webSocketDebuggerUrl ?? '',
    (_, { type, args, entry, exceptionDetails }) => {
      if (entry?.level === 'error') said.push(entry.text);
      else if (type === 'error')
        said.push(String(args?.map(({ value, description }) => value ?? description)));
      else if (exceptionDetails) said.push(exceptionDetails.exception?.description ?? exceptionDetails.text);
    },
  );
  for (const domain of ['Page', 'Runtime', 'Log']) await send(`${domain}.enable`);
  // They take 'instant' for the page's own way of scrolling, which is smooth.
  const features = [{ name: 'prefers-reduced-motion', value: 'reduce' }];
  await send('Emulation.setEmulatedMedia', { features });
  return { tab: new OldTab(send, said), close: chromium.close };
}

/** By the DevTools protocol: the drivers of today no longer speak to these. */
class OldTab extends Tab {
  readonly #send: Send;
  readonly #said: string[];

  constructor(send: Send, said: string[]) {
    super();
    this.#send = send;
    this.#said = said;
  }
  async resize(width: number, height: number): Promise<void> {
    const metrics = { width, height, deviceScaleFactor: 1, mobile: false };
    await this.#send('Emulation.setDeviceMetricsOverride', metrics);
  }
  async open(url: string): Promise<void> {
    this.#said.length = 0;
    await this.#send('Page.navigate', { url });
  }
  async complaints(): Promise<string[]> {
    return this.#said;
  }
  async press(x: number, y: number): Promise<void> {
    for (const type of ['mouseMoved', 'mousePressed', 'mouseReleased'])
      await this.#send('Input.dispatchMouseEvent', { type, x, y, button: 'left', clickCount: 1 });
  }
  async type(text: string): Promise<void> {
    await this.#send('Input.insertText', { text });
  }
  protected async evaluate(expression: string): Promise<string> {
    type Evaluated = {
      result: { value: string };
      exceptionDetails?: { exception?: { description?: string } };
    };
    const { result, exceptionDetails } = await this.#send<Evaluated>('Runtime.evaluate', {
      awaitPromise: true,
      expression,
    });
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description);
    return result.value;
  }
}
