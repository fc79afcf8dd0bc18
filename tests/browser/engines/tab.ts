import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

type Json = string | number | boolean | null;

/** A tab of an engine, with the little that every driver can do. */
export abstract class Tab {
  abstract resize(width: number, height: number): Promise<void>;
  /** Resolves before the islands are alive. */
  abstract open(url: string): Promise<void>;
  /** What the browser complained about since it was opened. */
  abstract complaints(): Promise<string[]>;
  abstract press(x: number, y: number): Promise<void>;
  abstract type(text: string): Promise<void>;
  /** The text that an expression, or its promise, comes to. */
  protected abstract evaluate(expression: string): Promise<string>;

  /** Runs a function in the page. It can't use anything around it, and its value travels as JSON. */
  async run<Args extends Json[], Value>(
    inPage: (...args: Args) => Value | Promise<Value>,
    ...args: Args
  ): Promise<Value> {
    const call = `(${inPage})(...${JSON.stringify(args)})`;
    const told = await this.evaluate(
      `((value) => value instanceof Promise ? value.then((later) => JSON.stringify(later) ?? 'null') : (JSON.stringify(value) ?? 'null'))(${call})`,
    );
    return JSON.parse(told) as Value;
  }

  /** Presses the middle of an element, with a mouse, wherever it is in the window. */
  async click(selector: string): Promise<void> {
    const [x, y] = await this.run(async (wanted) => {
      const element = document.querySelector(wanted);
      if (!element) throw new Error(`nothing is ${wanted}`);
      const seen = () => element.getBoundingClientRect();
      // Its fonts may still move it, and the page may be on its way to a section.
      await document.fonts.ready;
      for (let before = Number.NaN; before !== seen().top; ) {
        before = seen().top;
        for (let frame = 0; frame < 4; frame += 1) await new Promise(requestAnimationFrame);
      }
      if (seen().top < 60 || seen().bottom > innerHeight - 60)
        element.scrollIntoView({ block: 'center', behavior: 'instant' });
      const { left, top, width, height } = seen();
      return [Math.round(left + width / 2), Math.round(top + height / 2)] as const;
    }, selector);
    await this.press(x, y);
  }
}

export type Browser = {
  tab: Tab;
  /** Opens an address in a tab behind this one. The function it returns shows that tab. */
  openBehind?(url: string): Promise<{ tab: Tab; show(): Promise<void> }>;
  close(): Promise<void>;
};

export type Send = <Result>(method: string, params?: object) => Promise<Result>;
type Told<Params> = {
  id?: number;
  method?: string;
  params: Params;
  result: never;
  error?: unknown;
};

/** Starts a browser, which says on its second stream where it listens. */
export async function startBrowser(program: string, args: string[], address: RegExp, env = process.env) {
  const browser = spawn(program, args, { env, stdio: ['ignore', 'ignore', 'pipe'] });
  const ended = once(browser, 'exit');
  for await (const line of createInterface(browser.stderr)) {
    const [, found] = address.exec(line) ?? [];
    if (!found) continue;
    browser.stderr.resume();
    return {
      address: found,
      async close() {
        browser.kill();
        await ended;
      },
    };
  }
  throw new Error(`${program} ended before it listened`);
}

/** Asks and hears a browser, by WebDriver BiDi or the DevTools protocol: both are numbered JSON over a WebSocket. */
export async function converse<Params>(address: string, hear: (method: string, params: Params) => void) {
  const socket = new WebSocket(address);
  await once(socket, 'open');
  const asked = new Map<number, (answer: Told<Params>) => void>();
  socket.addEventListener('message', ({ data }) => {
    const told: Told<Params> = JSON.parse(data);
    if (told.id !== undefined) asked.get(told.id)?.(told);
    else if (told.method) hear(told.method, told.params);
  });
  let id = 0;
  const send: Send = async (method, params = {}) => {
    id += 1;
    const { promise, resolve } = Promise.withResolvers<Told<Params>>();
    asked.set(id, resolve);
    socket.send(JSON.stringify({ id, method, params }));
    const answer = await promise;
    if (answer.error) throw new Error(`${method}: ${JSON.stringify(answer)}`);
    return answer.result;
  };
  return send;
}

/** The W3C's words for a press of the mouse and for typing, the same in both of its protocols. */
export const pressing = (x: number, y: number) => [
  {
    type: 'pointer',
    id: 'mouse',
    actions: [
      { type: 'pointerMove', x, y },
      { type: 'pointerDown', button: 0 },
      { type: 'pointerUp', button: 0 },
    ],
  },
];

export const typing = (text: string) => [
  {
    type: 'key',
    id: 'keyboard',
    actions: [...text].flatMap((value) => [
      { type: 'keyDown', value },
      { type: 'keyUp', value },
    ]),
  },
];
