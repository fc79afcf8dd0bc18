import type { Outline } from '../outline.ts';
import type { Answer, EditorState, Refusal } from '../words-page.ts';

export type Path = readonly (string | number)[];
/** A field, with all that it's called: “Questions: What does it cost?: Answer”. */
export type Named = Outline & { label: string; key: string };

/** Another device was first: what she typed here, and what's there now. */
export interface Clash {
  path: Path;
  typed: unknown;
  now: unknown;
}

/** The desk didn't do it; the message says why, in her words. */
export class NotDone extends Error {
  readonly refusal: Refusal | undefined;
  constructor(message: string, refusal?: Refusal) {
    super(message);
    this.refusal = refusal;
  }
}

/** How long she may pause within a text before it's kept, in milliseconds. */
const PAUSE = 600;
/** Until it's tried again, when the desk didn't answer. */
const RETRY = 3_000;

export const keyOf = (path: Path) => path.join('.');

/** What's at a path of the words. */
export function valueAt(words: unknown, path: Path): unknown {
  return path.reduce((value: unknown, key) => (value ? Reflect.get(Object(value), key) : undefined), words);
}

export const isSame = (one: unknown, other: unknown) =>
  JSON.stringify(one ?? null) === JSON.stringify(other ?? null);

/**
 * The draft, as this device knows it, and the way to change it.
 *
 * @param base the address of this page, below which the desk answers
 * @param token what shows the desk that it's this page that asks
 */
export async function openModel(base: string, token: string) {
  const listeners: (() => void)[] = [];
  const pending = new Map<string, { path: Path; was: unknown; value: unknown; timer: number }>();
  /** Those that she hasn't answered yet, by their keys. */
  const clashes = new Map<string, Clash>();
  /** The field that she's in, with what it held when she came: a newer one isn't shown there. */
  let entered = { key: '', value: undefined as unknown };
  let last: Promise<unknown> = Promise.resolve();
  let outlines = new Map<string, Named>();

  async function ask(path: string, body?: object): Promise<Response> {
    const isFile = body instanceof Blob;
    let response: Response;
    try {
      response = await fetch(`${base}/${path}`, {
        // What's small enough goes on its way even if she leaves the page.
        keepalive: !isFile,
        ...(body && { method: 'POST', body: isFile ? body : JSON.stringify(body) }),
        headers: { 'x-desk-token': token },
      });
    } catch {
      throw new NotDone('The desk doesn’t answer. What you typed is still here, and is tried again.');
    }
    if (response.ok && !response.redirected) return response;
    if (!response.headers.get('content-type')?.startsWith('application/json'))
      throw new NotDone('You’re signed out. Sign in again in another tab; what you typed stays here.');
    const refusal = (await response.json()) as Refusal;
    throw new NotDone(refusal.error, refusal);
  }

  const readState = async () => (await (await ask('state')).json()) as EditorState;

  function name(parts: readonly Outline[], before = ''): Map<string, Named> {
    const inside = (one: Outline) =>
      one.kind === 'group' ? one.fields : one.kind === 'list' ? one.entries : [];
    return new Map(
      parts.flatMap((one) => {
        const label = before + one.title;
        const key = keyOf(one.path);
        return [[key, { ...one, label, key }], ...name(inside(one), `${label}: `)];
      }),
    );
  }

  function tell(): void {
    for (const listener of listeners) listener();
  }

  function take(answer: Partial<Answer>): void {
    Object.assign(model.state, answer);
  }

  /** One after the other, so that each knows what the one before it left. */
  function inTurn<T>(action: () => Promise<T>): Promise<T> {
    const done = last.then(action);
    last = done.catch(() => {});
    return done;
  }

  function put(path: Path, value: unknown): void {
    Reflect.set(Object(valueAt(model.state.words, path.slice(0, -1))), path.at(-1) ?? '', value);
    if (entered.key === keyOf(path)) entered.value = value;
  }

  async function send(path: Path, was: unknown, value: unknown): Promise<void> {
    const isMarked = model.state.refused.some((one) => isSame(one.path, path));
    if (isSame(was, value) && !isMarked) return;
    take((await (await ask('save', { path, was, value })).json()) as Answer);
    put(path, value);
  }

  /** Saves it, and tells everybody what came of it. */
  async function save(path: Path, value: unknown, was = valueAt(model.state.words, path)): Promise<boolean> {
    const key = keyOf(path);
    const asked = clashes.get(key);
    try {
      if (asked) throw new NotDone('', { error: '', now: asked.now });
      await inTurn(() => send(path, was, value));
      model.said = 'Kept in your draft. Visitors see it once you publish.';
      await model.refresh();
      return true;
    } catch (error) {
      if (!(error instanceof NotDone)) throw error;
      const { refusal } = error;
      model.said = error.message;
      if (refusal?.marked) take(refusal.marked);
      if (refusal && 'now' in refusal) clashes.set(key, { path, typed: value, now: refusal.now });
      if (!refusal && !pending.has(key)) later(path, was, value, RETRY);
      tell();
      return false;
    }
  }

  function later(path: Path, was: unknown, value: unknown, pause: number): void {
    const key = keyOf(path);
    clearTimeout(pending.get(key)?.timer);
    const timer = window.setTimeout(() => {
      pending.delete(key);
      void save(path, value, was);
    }, pause);
    pending.set(key, { path, was, value, timer });
  }

  const model = {
    state: {} as EditorState,
    /** What came of the last thing that she did. */
    said: '',
    find: (key: string) => outlines.get(key),
    all: () => [...outlines.values()],
    /** Called after everything that happens. */
    listen: (listener: () => void) => void listeners.push(listener),
    /** What she has to be asked first. */
    clash: () => [...clashes.values()][0],
    say(words: string): void {
      model.said = words;
      tell();
    },
    valueOf: (path: Path) => valueAt(model.state.words, path),
    refusedAt: (path: Path) => model.state.refused.find((one) => isSame(one.path, path)),
    enter(path: Path): void {
      entered = { key: keyOf(path), value: valueAt(model.state.words, path) };
    },
    /** Keeps it once she pauses. */
    typed(path: Path, value: unknown): void {
      const key = keyOf(path);
      const seen = entered.key === key ? entered.value : valueAt(model.state.words, path);
      const first = pending.get(key);
      later(path, first ? first.was : seen, value, PAUSE);
    },
    save,
    /** Keeps what she's in the middle of. */
    flush(): void {
      const waiting = [...pending.values()];
      pending.clear();
      for (const { path, was, value, timer } of waiting) {
        clearTimeout(timer);
        void save(path, value, was);
      }
    },
    /** What she answered: this value is hers, over what another device left. */
    settle({ path, now }: Clash, value: unknown): Promise<boolean> {
      clashes.delete(keyOf(path));
      put(path, now);
      return save(path, value, now);
    },
    async html(page: string): Promise<string> {
      return (await ask(`html/${page}`)).text();
    },
    async refresh(): Promise<void> {
      await inTurn(async () => {
        model.state = await readState();
        outlines = name(model.state.parts);
      });
      tell();
    },
    /** Does something with the draft as a whole, such as `publish`. */
    async act(action: string, body: object): Promise<Answer> {
      const answer = await inTurn(async () => (await (await ask(action, body)).json()) as Answer);
      await model.refresh();
      return answer;
    },
  };
  await model.refresh();
  return model;
}

export type Model = Awaited<ReturnType<typeof openModel>>;
