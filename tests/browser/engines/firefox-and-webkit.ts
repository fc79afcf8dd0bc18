import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from '@playwright/test';
import { freePort } from '../../support/network/free-port.ts';
import { findFirefox, findWebKit } from '../../support/site/find-browser.ts';
import { acting, type Browser, converse, startProgram, type Tab, tabOf } from './tab.ts';

type LogEntry = { level: string; text: string };
type Told = { result: { value: string }; exceptionDetails?: { text: string } };

/** The installed Firefox, headless, over WebDriver BiDi, which it speaks without a driver. */
export async function launchFirefox(): Promise<Browser> {
  const profile = await mkdtemp(join(tmpdir(), 'firefox-'));
  const options = ['--headless', '--no-remote', '--remote-debugging-port=0', '--profile', profile];
  const firefox = await startProgram(findFirefox(), [...options, 'about:blank'], /BiDi listening on (\S+)\s/);
  const said: LogEntry[] = [];
  const send = await converse<LogEntry>(`${firefox.address}/session`, (entry) => said.push(entry));

  async function newTab(background: boolean) {
    const create = { type: 'tab', background };
    const { context } = await send<{ context: string }>('browsingContext.create', create);
    const tab = tabOf({
      resize: (width, height) =>
        send('browsingContext.setViewport', { context, viewport: { width, height } }),
      async open(url) {
        said.length = 0;
        await send('browsingContext.navigate', { context, url, wait: 'interactive' });
      },
      complaints: () => said.filter(({ level }) => level === 'error').map(({ text }) => text),
      ...acting((actions) => send('input.performActions', { context, actions })),
      async evaluate(expression) {
        const asked = { target: { context }, awaitPromise: true, expression };
        const { result, exceptionDetails } = await send<Told>('script.evaluate', asked);
        if (exceptionDetails) throw new Error(exceptionDetails.text);
        return result.value;
      },
      async print(width, height) {
        const paper = { context, page: { width, height } };
        const { data } = await send<{ data: string }>('browsingContext.print', paper);
        return Buffer.from(data, 'base64');
      },
    });
    return { ...tab, show: () => send('browsingContext.activate', { context }) };
  }

  await send('session.new', { capabilities: {} });
  await send('session.subscribe', { events: ['log.entryAdded'] });
  return {
    tab: await newTab(false),
    newTabBehind: () => newTab(true),
    async close() {
      await firefox.close();
      await rm(profile, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** Its own toolbar, which would keep the window from being as narrow as a phone. */
const NO_TOOLBAR = '* { min-width: 0; min-height: 0; margin: 0; padding: 0; border: 0; font-size: 1px; }';

/** The installed WebKitGTK's small browser, on a virtual screen, over WebDriver. */
export async function launchWebKit(): Promise<Browser> {
  const { driver: program, screen: server } = findWebKit();
  const folder = await mkdtemp(join(tmpdir(), 'webkit-'));
  await mkdir(join(folder, 'gtk-3.0'));
  await writeFile(join(folder, 'gtk-3.0/gtk.css'), NO_TOOLBAR);
  // It prints the number of a free display.
  const options = ['-displayfd', '2', '-screen', '0', '2000x1400x24', '-nolisten', 'tcp'];
  const screen = await startProgram(server, options, /^(\d+)\n/m);
  const port = await freePort();
  const env = { ...process.env, DISPLAY: `:${screen.address}`, XDG_CONFIG_HOME: folder };
  const driver = spawn(program, [`--port=${port}`], { env, stdio: 'ignore' });

  async function call<Value>(method: string, path: string, asked?: object): Promise<Value> {
    const body = asked ? JSON.stringify(asked) : null;
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, { method, body });
    const { value } = await answer.json();
    if (!answer.ok) throw new Error(`${method} ${path}: ${value.error}: ${value.message}`);
    return value;
  }
  await expect.poll(() => call('GET', '/status').catch(() => undefined)).toBeDefined();
  const { sessionId } = await call<{ sessionId: string }>('POST', '/session', {
    capabilities: { alwaysMatch: { 'webkitgtk:browserOptions': { args: ['--automation'] } } },
  });
  const post = <Value>(what: string, asked: object) =>
    call<Value>('POST', `/session/${sessionId}/${what}`, asked);

  const tab: Tab = tabOf({
    async resize(width, height) {
      await post('window/rect', { width, height });
      // The window has its own border.
      const [inner, outer] = await tab.run(() => [innerHeight, outerHeight] as const);
      await post('window/rect', { width, height: height + outer - inner });
    },
    async open(url) {
      await post('url', { url });
      // This driver doesn't report the console, so the page listens to itself.
      await tab.run(() => {
        const said: string[] = [];
        Object.assign(window, { said });
        addEventListener('error', ({ message }) => said.push(message));
        addEventListener('unhandledrejection', ({ reason }) => said.push(String(reason)));
        addEventListener('securitypolicyviolation', ({ violatedDirective }) => said.push(violatedDirective));
        console.error = (...all: unknown[]) => said.push(all.join(' '));
      });
    },
    complaints: () => tab.run(() => (window as unknown as { said: string[] }).said),
    ...acting((actions) => post('actions', { actions })),
    evaluate: (expression) => post('execute/sync', { script: `return ${expression}`, args: [] }),
  });
  return {
    tab,
    async close() {
      await call('DELETE', `/session/${sessionId}`).catch(() => {});
      driver.kill();
      if (driver.exitCode === null && driver.signalCode === null) await once(driver, 'exit');
      await screen.close();
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
