import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findFirefox } from '../../support/site/find-browser.ts';
import { type Browser, converse, pressing, type Send, startBrowser, Tab, typing } from './tab.ts';

type LogEntry = { level: string; text: string };

/** The installed Firefox, without a window, by WebDriver BiDi, which it speaks without a driver. */
export async function launchFirefox(): Promise<Browser> {
  const profile = await mkdtemp(join(tmpdir(), 'firefox-'));
  const options = ['--headless', '--no-remote', '--remote-debugging-port=0', '--profile', profile];
  const firefox = await startBrowser(findFirefox(), [...options, 'about:blank'], /BiDi listening on (\S+)/);
  const said: LogEntry[] = [];
  const send = await converse<LogEntry>(`${firefox.address}/session`, (_, entry) => said.push(entry));
  const newTab = (background: boolean) =>
    send<{ context: string }>('browsingContext.create', { type: 'tab', background });

  await send('session.new', { capabilities: {} });
  await send('session.subscribe', { events: ['log.entryAdded'] });
  const { context } = await newTab(false);
  return {
    tab: new FirefoxTab(send, context, said),
    async openBehind(url) {
      const behind = await newTab(true);
      const tab = new FirefoxTab(send, behind.context, said);
      await tab.open(url);
      return { tab, show: () => send('browsingContext.activate', behind) };
    },
    async close() {
      await firefox.close();
      await rm(profile, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

class FirefoxTab extends Tab {
  readonly #send: Send;
  readonly #context: string;
  readonly #said: LogEntry[];

  constructor(send: Send, context: string, said: LogEntry[]) {
    super();
    this.#send = send;
    this.#context = context;
    this.#said = said;
  }
  resize(width: number, height: number): Promise<void> {
    return this.#send('browsingContext.setViewport', { context: this.#context, viewport: { width, height } });
  }
  async open(url: string): Promise<void> {
    const context = this.#context;
    this.#said.length = 0;
    await this.#send('browsingContext.navigate', { context, url, wait: 'interactive' });
  }
  async complaints(): Promise<string[]> {
    return this.#said.filter(({ level }) => level === 'error').map(({ text }) => text);
  }
  press(x: number, y: number): Promise<void> {
    return this.#act(pressing(x, y));
  }
  type(text: string): Promise<void> {
    return this.#act(typing(text));
  }
  #act(actions: object[]): Promise<void> {
    return this.#send('input.performActions', { context: this.#context, actions });
  }
  protected async evaluate(expression: string): Promise<string> {
    type Told = { result: { value: string }; exceptionDetails?: { text: string } };
    const { result, exceptionDetails } = await this.#send<Told>('script.evaluate', {
      target: { context: this.#context },
      awaitPromise: true,
      expression,
    });
    if (exceptionDetails) throw new Error(exceptionDetails.text);
    return result.value;
  }
}
