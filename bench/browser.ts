import { createRequire } from 'node:module';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { ROOT } from '../build/vite.ts';
import { findChromium } from '../tests/find-browser.ts';

/** The part of chrome-launcher that we use. The package and its types are only installed when the benchmark runs. */
type Launcher = { launch: (options: object) => Promise<{ port: number; kill: () => void }> };
export type TraceEvent = {
  name: string;
  ts: number;
  dur?: number;
  /** The thread's CPU time, which doesn't grow on a busy machine. */
  tdur?: number;
  pid: number;
  tid: number;
};

/** Resolves a package from bench/package.json. */
export function bring(path: string): string {
  return createRequire(join(ROOT, 'bench/package.json')).resolve(path);
}

/** Starts a fresh browser for `use`, and closes it afterwards. */
export async function withBrowser<Result>(use: (port: number) => Promise<Result>): Promise<Result> {
  const { launch } = (await import(bring('chrome-launcher'))) as Launcher;
  const browser = await launch({
    chromePath: findChromium(),
    chromeFlags: ['--headless=new', '--no-sandbox', '--window-size=412,915'],
    logLevel: 'silent',
  });
  try {
    return await use(browser.port);
  } finally {
    browser.kill();
  }
}

/**
 * A tab, driven over the DevTools protocol. Not Playwright: it enables the Runtime domain, which makes V8 parse every
 * module twice, and no visitor's browser does that.
 */
export async function openTab(port: number) {
  const page = await connect(await address(port, '/json/new?about:blank', 'PUT'));
  const browser = await connect(await address(port, '/json/version'));
  const events: TraceEvent[] = [];
  browser.on('Tracing.dataCollected', (data) => events.push(...(data as { value: TraceEvent[] }).value));

  async function evaluate<Value>(expression: string): Promise<Value> {
    const answer = await page.send('Runtime.evaluate', {
      expression,
      awaitPromise: true,
      returnByValue: true,
    });
    const { result, exceptionDetails } = answer as { result: { value: Value }; exceptionDetails?: object };
    if (exceptionDetails) throw new Error(`The page refused: ${expression}`);
    return result.value;
  }

  return {
    slowDown: (rate: number) => page.send('Emulation.setCPUThrottlingRate', { rate }),
    goTo: (url: string) => page.send('Page.navigate', { url }),
    evaluate,
    async until(expression: string): Promise<void> {
      const giveUpAt = Date.now() + 60_000;
      while (!(await evaluate<boolean>(expression))) {
        if (Date.now() > giveUpAt) throw new Error(`It never came about that ${expression}`);
        await wait(100);
      }
    },
    /** Waits until the element stops moving, since pages scroll smoothly and menus slide. */
    async click(selector: string): Promise<void> {
      const place = async () => {
        const box = await evaluate<string>(
          `(() => { const { x, y, width, height } = document.querySelector(${JSON.stringify(selector)}).getBoundingClientRect();
            return [x + width / 2, y + height / 2].join() })()`,
        );
        await wait(100);
        return box;
      };
      await evaluate(
        `document.querySelector(${JSON.stringify(selector)}).scrollIntoView({ block: 'center', behavior: 'instant' })`,
      );
      let [before, now] = ['', await place()];
      while (now !== before) [before, now] = [now, await place()];
      const [x, y] = now.split(',').map(Number);
      for (const type of ['mousePressed', 'mouseReleased'])
        await page.send('Input.dispatchMouseEvent', { type, x, y, button: 'left', clickCount: 1 });
    },
    async type(text: string): Promise<void> {
      for (const key of text) {
        for (const type of ['keyDown', 'keyUp'])
          await page.send('Input.dispatchKeyEvent', { type, key, ...(type === 'keyDown' && { text: key }) });
      }
    },
    startTracing: () =>
      browser.send('Tracing.start', {
        traceConfig: { includedCategories: ['toplevel', 'devtools.timeline'] },
      }),
    async stopTracing(): Promise<TraceEvent[]> {
      const complete = new Promise<void>((resolve) => browser.on('Tracing.tracingComplete', () => resolve()));
      await browser.send('Tracing.end', {});
      await complete;
      return events;
    },
    close(): void {
      page.close();
      browser.close();
    },
  };
}

async function address(port: number, path: string, method = 'GET'): Promise<string> {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, { method });
  return ((await answer.json()) as { webSocketDebuggerUrl: string }).webSocketDebuggerUrl;
}

async function connect(url: string) {
  const socket = new WebSocket(url);
  const answers = new Map<number, { resolve: (result: unknown) => void; reject: (error: Error) => void }>();
  const listeners = new Map<string, (params: unknown) => void>();
  let last = 0;
  socket.addEventListener('message', ({ data }) => {
    const { id, method, params, result, error } = JSON.parse(String(data));
    if (method) listeners.get(method)?.(params);
    else if (error) answers.get(id)?.reject(new Error(error.message));
    else answers.get(id)?.resolve(result);
  });
  await new Promise((resolve, reject) => {
    socket.addEventListener('open', resolve, { once: true });
    socket.addEventListener('error', reject, { once: true });
  });
  return {
    send: (method: string, params: object): Promise<unknown> =>
      new Promise((resolve, reject) => {
        last += 1;
        answers.set(last, { resolve, reject });
        socket.send(JSON.stringify({ id: last, method, params }));
      }),
    on: (method: string, listener: (params: unknown) => void) => listeners.set(method, listener),
    close: () => socket.close(),
  };
}
