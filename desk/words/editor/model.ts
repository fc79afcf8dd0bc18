import type { Field } from '../outline.ts';
import type { EditorState } from '../words-page.ts';

export type Path = readonly (string | number)[];

/** How long she may pause within a text before it's kept, in milliseconds. */
const PAUSE = 600;
/** Until it's tried again, when the desk didn't answer. */
const RETRY = 3_000;

export const keyOf = (path: Path) => path.join('.');

export const isSame = (one: unknown, other: unknown) =>
  JSON.stringify(one ?? null) === JSON.stringify(other ?? null);

/** A value that isn't on the desk yet. */
interface Unsent {
  path: Path;
  value: unknown;
}

/**
 * The draft, as this device knows it, and the way to change it.
 *
 * @param base the address of this page, below which the desk answers
 * @param token what shows the desk that it's this page that asks
 * @param changed is called after everything that happens
 */
export function openModel(base: string, token: string, changed: () => void) {
  const pending = new Map<string, Unsent & { timer: number }>();
  let last: Promise<unknown> = Promise.resolve();
  /** What each field that she was in showed her, by its key: there, nothing newer comes while she types. */
  const seen = new Map<string, unknown>();

  /** One after the other, so that each knows what the one before it left. */
  function inTurn<T>(action: () => Promise<T>): Promise<T> {
    const done = last.then(action);
    last = done.catch(() => {});
    return done;
  }

  async function ask(action: string, body?: object): Promise<EditorState> {
    const isFile = body instanceof Blob;
    const response = await fetch(`${base}/draft/${action}?page=${model.page}`, {
      // What's small enough goes on its way even if she leaves the page.
      keepalive: !isFile,
      ...(body && { method: 'POST', body: isFile ? body : JSON.stringify(body) }),
      headers: { 'x-desk-token': token },
    }).catch(() => {
      throw new Error('The desk doesn’t answer. What you typed is still here, and is tried again.');
    });
    if (!response.headers.get('content-type')?.startsWith('application/json'))
      throw new Error('You’re signed out. Sign in again in another tab; what you typed stays here.');
    const state = (await response.json()) as EditorState;
    if (!response.ok) throw new Error(state.error);
    model.state = state;
    return state;
  }

  /** Keeps a value in place of what was there, and tells whether it's as she wants it. */
  async function send(path: Path, change: (was: unknown) => unknown, isTyped = false): Promise<boolean> {
    const key = keyOf(path);
    try {
      return await inTurn(async () => {
        const was = isTyped && seen.has(key) ? seen.get(key) : model.valueOf(path);
        const value = change(was);
        // She's asked first whose it should be.
        if (model.clash && keyOf(model.clash.path) === key) model.clash.value = value;
        else if (!isSame(was, value) || model.refusedAt(path)) {
          const { error, now } = await ask('save', { path, was, value });
          if (now !== undefined) model.clash = { path, value };
          else if (seen.has(key)) seen.set(key, model.valueOf(path));
          model.said = error ?? 'Kept in your draft. Visitors see it once you publish.';
          return error === undefined && !model.refusedAt(path);
        }
        return !model.clash;
      });
    } catch (error) {
      if (isTyped && !pending.has(key)) later({ path, value: change(undefined) }, RETRY);
      model.said = String((error as Error).message);
      return false;
    } finally {
      changed();
    }
  }

  function later({ path, value }: Unsent, pause: number): void {
    const key = keyOf(path);
    clearTimeout(pending.get(key)?.timer);
    const timer = window.setTimeout(() => {
      pending.delete(key);
      void send(path, () => value, true);
    }, pause);
    pending.set(key, { path, value, timer });
  }

  const model = {
    state: { fields: [] as Field[] } as unknown as EditorState,
    /** The path of the page that she looks at. */
    page: 'index.html',
    /** What came of the last thing that she did. */
    said: '',
    /** What she typed where another device was first. */
    clash: undefined as Unsent | undefined,
    find: (key: string) => model.state.fields.find(({ path }) => keyOf(path) === key),
    /** The fields of a group or list. */
    inside: ({ path }: Field) =>
      model.state.fields.filter((one) => keyOf(one.path.slice(0, -1)) === keyOf(path)),
    valueOf: (path: Path) =>
      path.reduce<unknown>(
        (value, key) => (value ? Reflect.get(Object(value), key) : undefined),
        model.state.words,
      ),
    refusedAt: (path: Path) => model.state.refused.find((one) => isSame(one.path, path)),
    enter: (path: Path) => void seen.set(keyOf(path), model.valueOf(path)),
    /** Keeps it once she pauses. */
    typed: (path: Path, value: unknown) => later({ path, value }, PAUSE),
    save: send,
    /** Whose it should be, hers or the other device's: the answer to a clash. */
    settle({ path }: Unsent, value: unknown): Promise<boolean> {
      model.clash = undefined;
      return send(path, () => value);
    },
    /** Keeps what she's in the middle of. */
    flush(): void {
      for (const { path, value, timer } of pending.values()) {
        clearTimeout(timer);
        void send(path, () => value, true);
      }
      pending.clear();
    },
    /** Does something with the draft as a whole, such as `publish`, or looks what's there now. */
    async act(action: string, body?: object, said = ''): Promise<void> {
      try {
        const { error, notes = [] } = await inTurn(() => ask(action, body));
        model.said = error ?? [said, ...notes].join(' ');
      } catch (error) {
        model.said = String((error as Error).message);
      }
      changed();
    },
  };
  return model;
}

export type Model = ReturnType<typeof openModel>;
