import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { freePort } from '../../support/network/free-port.ts';
import { findWebKit } from '../../support/site/find-browser.ts';
import { type Browser, pressing, Tab, typing } from './tab.ts';

type Call = <Value>(method: string, path: string, body?: object) => Promise<Value>;

/** Its own toolbar, which would keep the window from being as narrow as a phone. */
const NO_TOOLBAR = '* { min-width: 0; min-height: 0; margin: 0; padding: 0; border: 0; font-size: 1px; }';

/** The installed WebKitGTK's small browser, on a screen that nobody sees, by WebDriver. */
export async function launchWebKit(): Promise<Browser> {
  const { driver, screen } = findWebKit();
  const folder = await mkdtemp(join(tmpdir(), 'webkit-'));
  await mkdir(join(folder, 'gtk-3.0'));
  await writeFile(join(folder, 'gtk-3.0/gtk.css'), NO_TOOLBAR);
  const started: ChildProcess[] = [];
  const close = async () => {
    for (const program of started.reverse()) {
      if (program.exitCode !== null || program.signalCode !== null) continue;
      const ended = once(program, 'exit');
      program.kill();
      await ended;
    }
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  };

  // It writes the number of a free display to its fourth stream.
  const x = spawn(screen, ['-displayfd', '3', '-screen', '0', '2000x1400x24', '-nolisten', 'tcp'], {
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
  });
  started.push(x);
  const [display] = await once(x.stdio[3] as Readable, 'data');
  const port = await freePort();
  const env = { ...process.env, DISPLAY: `:${String(display).trim()}`, XDG_CONFIG_HOME: folder };
  started.push(spawn(driver, [`--port=${port}`], { env, stdio: 'ignore' }));

  const call: Call = async (method, path, body) => {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
      method,
      ...(body && { body: JSON.stringify(body) }),
    });
    const { value } = await answer.json();
    if (!answer.ok) throw new Error(`${method} ${path}: ${value.error}: ${value.message}`);
    return value;
  };
  await listening(call);
  const { sessionId } = await call<{ sessionId: string }>('POST', '/session', {
    capabilities: { alwaysMatch: { 'webkitgtk:browserOptions': { args: ['--automation'] } } },
  });
  const session = `/session/${sessionId}`;
  return {
    tab: new WebKitTab(call, session),
    async close() {
      await call('DELETE', session).catch(() => {});
      await close();
    },
  };
}

async function listening(call: Call): Promise<void> {
  for (;;) {
    try {
      return await call('GET', '/status');
    } catch {
      await new Promise((later) => setTimeout(later, 50));
    }
  }
}

class WebKitTab extends Tab {
  readonly #call: Call;
  readonly #session: string;

  constructor(call: Call, session: string) {
    super();
    this.#call = call;
    this.#session = session;
  }
  async resize(width: number, height: number): Promise<void> {
    const rect = `${this.#session}/window/rect`;
    await this.#call('POST', rect, { width, height });
    // The window has an edge of its own.
    const [inner, outer] = await this.run(() => [innerHeight, outerHeight] as const);
    await this.#call('POST', rect, { width, height: height + outer - inner });
  }
  async open(url: string): Promise<void> {
    await this.#call('POST', `${this.#session}/url`, { url });
    // This driver doesn't report the console, so the page listens to itself.
    await this.run(() => {
      const said: string[] = [];
      Object.assign(window, { said });
      addEventListener('error', ({ message }) => said.push(message));
      addEventListener('unhandledrejection', ({ reason }) => said.push(String(reason)));
      addEventListener('securitypolicyviolation', ({ violatedDirective }) => said.push(violatedDirective));
      console.error = (...all: unknown[]) => said.push(all.join(' '));
    });
  }
  complaints(): Promise<string[]> {
    return this.run(() => (window as unknown as { said: string[] }).said);
  }
  press(x: number, y: number): Promise<void> {
    return this.#act(pressing(x, y));
  }
  type(text: string): Promise<void> {
    return this.#act(typing(text));
  }
  #act(actions: object[]): Promise<void> {
    return this.#call('POST', `${this.#session}/actions`, { actions });
  }
  protected evaluate(expression: string): Promise<string> {
    return this.#call('POST', `${this.#session}/execute/sync`, { script: `return ${expression}`, args: [] });
  }
}
