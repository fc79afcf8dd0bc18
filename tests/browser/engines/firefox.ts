import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { findFirefox } from '../../support/site/find-browser.ts';
import { type Browser, pressing, Tab, typing } from './tab.ts';

type Answer = {
  id?: number;
  method?: string;
  error?: string;
  message?: string;
  result: never;
  params: LogEntry;
};
type LogEntry = { level: string; text: string; source: { context: string } };
type Send = <Result>(method: string, params: object) => Promise<Result>;

/** The installed Firefox, without a window, by WebDriver BiDi, which it speaks without a driver. */
export async function launchFirefox({ scripts } = { scripts: true }): Promise<Browser> {
  const profile = await mkdtemp(join(tmpdir(), 'firefox-'));
  await writeFile(join(profile, 'user.js'), `user_pref('javascript.enabled', ${scripts});\n`);
  const options = ['--headless', '--no-remote', '--remote-debugging-port=0', '--profile', profile];
  const firefox = spawn(findFirefox(), [...options, 'about:blank'], { stdio: ['ignore', 'ignore', 'pipe'] });
  const ended = once(firefox, 'exit');
  const close = async () => {
    firefox.kill();
    await ended;
    await rm(profile, { recursive: true, force: true, maxRetries: 5 });
  };
  for await (const line of createInterface(firefox.stderr)) {
    const address = /BiDi listening on (\S+)/.exec(line)?.[1];
    if (!address) continue;
    firefox.stderr.resume();
    return { ...(await converse(`${address}/session`)), close };
  }
  throw new Error('Firefox ended before it listened');
}

async function converse(address: string): Promise<Omit<Browser, 'close'>> {
  const socket = new WebSocket(address);
  await once(socket, 'open');
  const asked = new Map<number, (answer: Answer) => void>();
  const said: LogEntry[] = [];
  socket.addEventListener('message', ({ data }) => {
    const answer: Answer = JSON.parse(data);
    if (answer.id !== undefined) asked.get(answer.id)?.(answer);
    else if (answer.method === 'log.entryAdded') said.push(answer.params);
  });
  let count = 0;
  const send: Send = async (method, params) => {
    count += 1;
    const id = count;
    socket.send(JSON.stringify({ id, method, params }));
    const answer = await new Promise<Answer>((done) => asked.set(id, done));
    asked.delete(id);
    if (answer.error) throw new Error(`${method}: ${answer.error}: ${answer.message}`);
    return answer.result;
  };
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
