import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { watch } from '../../support/service/watch.ts';

type Json = string | number | boolean | null;

/** The little that every engine's driver can do in a tab. */
type Driver = {
  resize(width: number, height: number): Promise<unknown>;
  /** Resolves before the islands are alive. */
  open(url: string): Promise<unknown>;
  complaints(): string[] | Promise<string[]>;
  press(x: number, y: number): Promise<unknown>;
  type(text: string): Promise<unknown>;
  /** An expression's result as text, or its promise's. */
  evaluate(expression: string): Promise<string>;
  /** On a sheet of this size in centimetres, as a PDF. */
  print?(width: number, height: number): Promise<Buffer>;
};

export type Tab = ReturnType<typeof tabOf>;
export type Browser = {
  tab: Tab;
  newTabBehind?(): Promise<Tab & { show(): Promise<unknown> }>;
  close(): Promise<void>;
};

export function tabOf(driver: Driver) {
  /** Runs a function in the page. It can't use anything around it, and its value travels as JSON. */
  async function run<Args extends Json[], Value>(
    inPage: (...args: Args) => Value | Promise<Value>,
    ...args: Args
  ): Promise<Value> {
    const call = `(${inPage})(...${JSON.stringify(args)})`;
    const told = await driver.evaluate(
      `((value) => value instanceof Promise ? value.then((later) => JSON.stringify(later) ?? 'null') : (JSON.stringify(value) ?? 'null'))(${call})`,
    );
    return JSON.parse(told) as Value;
  }

  /** Presses the middle of an element, with a mouse, wherever it is in the window. */
  async function click(selector: string): Promise<void> {
    const [x, y] = await run(async (wanted) => {
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
    await driver.press(x, y);
  }

  const text = (selector: string) =>
    run((wanted) => document.querySelector(wanted)?.textContent ?? '', selector);

  /** Whether it's drawn, and lies in the window. The oldest have no `checkVisibility`. */
  const seen = (selector: string) =>
    run((wanted) => {
      const element = document.querySelector(wanted);
      if (!element || getComputedStyle(element).visibility !== 'visible') return false;
      const { top, bottom, height } = element.getBoundingClientRect();
      return height > 0 && bottom > 0 && top < innerHeight;
    }, selector);

  return { ...driver, run, click, text, seen };
}

/** Starts a program, which says on stderr where it listens. */
export async function startProgram(program: string, args: string[], address: RegExp, env = process.env) {
  const child = spawn(program, args, { env, stdio: ['ignore', 'ignore', 'pipe'] });
  const { says, exited } = watch(child);
  const [, found = ''] = await says(address);
  return {
    address: found,
    async close() {
      child.kill();
      await exited;
    },
  };
}

type Told<Params> = {
  id?: number;
  method?: string;
  params: Params;
  result: never;
  error?: unknown;
};

/** Talks to a browser by WebDriver BiDi or the DevTools protocol: both are numbered JSON over a WebSocket. */
export async function converse<Params>(address: string, hear: (params: Params) => void) {
  const socket = new WebSocket(address);
  await once(socket, 'open');
  const asked = new Map<number, (answer: Told<Params>) => void>();
  socket.addEventListener('message', ({ data }) => {
    const told: Told<Params> = JSON.parse(data);
    if (told.id !== undefined) asked.get(told.id)?.(told);
    else if (told.method) hear(told.params);
  });
  let id = 0;
  return async <Result>(method: string, params = {}): Promise<Result> => {
    id += 1;
    const { promise, resolve } = Promise.withResolvers<Told<Params>>();
    asked.set(id, resolve);
    socket.send(JSON.stringify({ id, method, params }));
    const answer = await promise;
    if (answer.error) throw new Error(`${method}: ${JSON.stringify(answer)}`);
    return answer.result;
  };
}

/** Presses and types by W3C actions, the same in both of its protocols. */
export const acting = (act: (actions: object[]) => Promise<unknown>) => ({
  press: (x: number, y: number) =>
    act([
      {
        type: 'pointer',
        id: 'mouse',
        actions: [
          { type: 'pointerMove', x, y },
          { type: 'pointerDown', button: 0 },
          { type: 'pointerUp', button: 0 },
        ],
      },
    ]),
  type: (text: string) =>
    act([
      {
        type: 'key',
        id: 'keyboard',
        actions: [...text].flatMap((value) => [
          { type: 'keyDown', value },
          { type: 'keyUp', value },
        ]),
      },
    ]),
});
