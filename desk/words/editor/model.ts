import type { DraftField } from '../draft.ts';
import { nameOf, placeInList } from '../values.ts';
import type { EditorState } from '../words-page.ts';

/** In milliseconds: the pause within a text before it's kept, and until the desk is asked again. */
const PAUSE = 600;
const RETRY = 3_000;
/** How long the desk may take before she's told. */
const LATE = 2_000;
/** After that, it's asked again. A photo may take longer. */
const LONGEST_ANSWER = 30_000;

/** In letters of up to three bytes. A page that's being left may have 64 KiB on its way. */
const MOST_KEPT_ALIVE = 10_000;

const KEPT = 'Kept in your draft until you publish.';
const AS_PUBLISHED = 'Same as what’s published: your draft is empty.';

export const isSame = (one: unknown, other: unknown) =>
  JSON.stringify(one ?? null) === JSON.stringify(other ?? null);

/** The device's token. Once its cookie is gone, such as after a year, signing in again gives another. */
const tokenIn = (page: string) => /name="token" content="(.*?)"/.exec(page)?.[1] ?? '';

type Seen = { was?: unknown; apart?: unknown; mine?: unknown; names?: unknown[] | undefined };

/** The draft, as this device knows it, and the way to change it. @param changed is called after everything that happens */
export function openModel(base: string, changed: () => void) {
  /** What she typed last and the desk hasn't taken yet, by key, unless she has chosen another value since. */
  const newest = new Map<string, unknown>();
  const onItsWay = new Map<string, unknown>();
  /** What was sent of her typing and never answered, by key: the desk may have it. */
  const unanswered = new Map<string, unknown[]>();
  /** Requests can overtake each other, so the desk is told their order. */
  const from = `${Math.random()}`;
  let requests = 0;
  /** By key. Only what becomes of that one counts. */
  const lastSent = new Map<string, number>();
  /** What was sent before its turn, by key: what she pressed before waits for that. */
  const hurried = new Set<string>();
  let isUploading = false;
  /** How many things that she pressed wait for their turn. */
  let queued = 0;
  let token = tokenIn(document.head.innerHTML);
  let isAnswering = true;
  let timer = 0;
  let last: Promise<unknown> = Promise.resolve();
  // What each field that she was in showed her, by key: nothing newer shows there while she types. Also what of hers
  // was kept apart, if she has chosen that or what she typed since.
  const seen = new Map<string, Seen>();
  /** What came into the draft from this device, by key. */
  const written = new Map<string, unknown>();

  async function ask(action: string, body: object | undefined, key: string): Promise<EditorState> {
    const unanswered = () => {
      const outcome = newest.has(key)
        ? 'What you typed is still here, and will be sent again.'
        : 'That may have been done: check once it answers.';
      if (body) throw new Error(`The desk isn’t answering. ${outcome}`);
      // What was said about her last action stays, even if a later look fails, too.
      throw new Error(isAnswering ? 'The desk isn’t answering.' : model.said);
    };
    token ||= tokenIn(await (await fetch(base).catch(unanswered)).text());
    const sent = body instanceof Blob ? body : JSON.stringify(body);
    const response = await fetch(`${base}/draft/${action}?page=${model.page}`, {
      // A small request goes out even if she leaves the page. Browsers refuse a larger one.
      keepalive: typeof sent === 'string' && sent.length < MOST_KEPT_ALIVE,
      ...(body && { method: 'POST', body: sent }),
      // Not in Safari 15
      ...(!(body instanceof Blob) && { signal: AbortSignal.timeout?.(LONGEST_ANSWER) }),
      headers: { 'x-desk-token': token },
    }).catch(unanswered);
    const isOurs = response.headers.get('content-type')?.startsWith('application/json');
    // A proxy is answering in its place.
    if (response.status > (isOurs ? 500 : 403)) unanswered();
    if (!isOurs) {
      token = '';
      throw new Error('You’re signed out. Sign in again in another tab; what you typed stays here.');
    }
    const state: EditorState = await response.json().catch(unanswered);
    if (!response.ok) throw new Error(state.error);
    return state;
  }

  /** In its turn, so that it knows what the one before did. Whether it was done; undefined if the desk doesn't answer. */
  function act(...how: Parameters<typeof actNow>): Promise<boolean | undefined> {
    const [, body] = how;
    if (body) queued += 1;
    const turn = last.then(() => {
      if (body) queued -= 1;
      return actNow(...how);
    });
    last = turn;
    return turn;
  }

  /** @param said what she's told once it's done with the field of the key */
  async function actNow(action: string, bodyNow?: () => object, said = '', key = '') {
    let body: object | undefined;
    try {
      body = bodyNow?.();
    } catch (error) {
      model.say(String((error as Error).message));
      return false;
    }
    if (action === 'photo') {
      isUploading = true;
      model.say('Uploading …');
    }
    const tellLate = () => {
      isAnswering = false;
      model.say('The desk hasn’t answered yet.');
    };
    // The others say that they're under way.
    const late = /save|state/.test(action) ? setTimeout(tellLate, LATE) : undefined;
    try {
      const state = await ask(action, body, key);
      const { of, nth } = model.state.order;
      if (state.order.of !== of || state.order.nth > nth) model.state = state;
      const { error } = state;
      const { title, value, refused } = model.find(key) ?? {};
      // If she has moved on meanwhile, nothing else would tell her that it was refused.
      const isClean = model.state.changes.length === 0 && model.state.fields.every((one) => !one.refused);
      const done = said === KEPT && isClean ? AS_PUBLISHED : said;
      const outcome = refused && key !== model.entered ? `${title}: ${refused.why}` : done;
      if (error || body) model.said = error ?? outcome;
      else if (!isAnswering) model.said = 'The desk is answering again. This is how things are now.';
      isAnswering = true;
      if (!error && isSame(value, (body as { value?: unknown })?.value)) written.set(key, value);
      return error === undefined;
    } catch (error) {
      isAnswering = false;
      model.said = String((error as Error).message);
      goOnAfter(RETRY);
      return undefined;
    } finally {
      clearTimeout(late);
      if (action === 'photo') isUploading = false;
      changed();
    }
  }

  function toSend(key: string, value: unknown) {
    requests += 1;
    lastSent.set(key, requests);
    const tried = unanswered.get(key) ?? [];
    unanswered.set(key, [...new Set([...tried, value])]);
    return { key, value, tried, from, nth: requests };
  }

  /** Whether nothing was sent for that key since. @param isDone undefined if the desk didn't answer */
  function isLast({ key, nth }: { key: string; nth: number }, isDone: boolean | undefined): boolean {
    if (lastSent.get(key) !== nth) return false;
    onItsWay.delete(key);
    if (isDone !== undefined) unanswered.delete(key);
    return true;
  }

  async function send(key: string, value: unknown): Promise<void> {
    onItsWay.set(key, value);
    const sent = { ...toSend(key, value), ...seen.get(key) };
    const isDone = await actNow('save', () => sent, KEPT, key);
    if (isDone) see(key);
    if (!isLast(sent, isDone)) return;
    if (isDone === false && model.find(key)) {
      // It couldn't be written, as on a full disk.
      isAnswering = false;
      goOnAfter(RETRY);
    } else if (isDone !== undefined && newest.get(key) === value) newest.delete(key);
  }

  const namesAround = (key: string) =>
    (model.find(placeInList(key)[0])?.value as unknown[] | undefined)?.map(nameOf);

  /** So that what's published or thrown away includes all that she typed. */
  const onceKept = (version: string, todo: string) => () => {
    if (newest.size > 0) throw new Error(`What you typed last isn’t in your draft yet. ${todo} once it is.`);
    return { version };
  };

  /** What she saw there first counts until she has chosen between the two, or taken back what another entry's place has. */
  function see(key: string): void {
    const { refused, value } = model.find(key) ?? {};
    const isOpen = refused?.isLater || refused?.isMoved;
    const first = isOpen ? seen.get(key) : { was: value, names: namesAround(key) };
    seen.set(key, { ...first, apart: refused?.value });
  }

  /** Sends what's typed by then, or checks whether the desk answers again, and how it is. */
  function goOnAfter(pause: number): void {
    clearTimeout(timer);
    timer = window.setTimeout(() => {
      flush();
      if (newest.size === 0 && !isAnswering) void act('state');
    }, pause);
  }

  /** Whether she hasn't typed or chosen something else by now, and it isn't kept or on its way. */
  const isUnsent = ([key, value]: [string, unknown]) =>
    newest.get(key) === value && onItsWay.get(key) !== value;

  /** Keeps what she's in the middle of, one text after the other. */
  function flush(): void {
    // What she types from now on goes after what she presses until then.
    const due = [...newest];
    last = last.then(async () => {
      for (const one of due) if (isUnsent(one)) await send(...one);
    });
  }

  /** Keeps all of it without waiting for its turn, since the page may be gone by then. */
  function leave(): void {
    clearTimeout(timer);
    const due = [...newest].filter(isUnsent);
    for (const [key] of due) hurried.add(key);
    last = Promise.all([last, ...due.map((one) => send(...one))]);
  }

  const model = {
    base,
    state: { fields: [], changes: [], steps: [], order: {} } as unknown as EditorState,
    page: 'index.html',
    /** The outcome of the last thing she did. */
    said: '',
    /** The key of the field that she's in, or was last. */
    entered: '',
    find(key: string): DraftField | undefined {
      const found = model.state.fields.find((one) => one.key === key);
      // The choice between the two is offered where the later one was typed.
      const isOther = found?.refused?.isLater && isSame(found.value, written.get(key));
      return isOther ? { ...found, refused: undefined } : found;
    },
    inside: ({ key }: DraftField) =>
      model.state.fields.filter((one) => one.key.replace(/\.[^.]+$/, '') === key && one.key !== key),
    enter(key: string): void {
      model.entered = key;
      // Until it's taken, what's there was typed over what she saw before.
      if (!newest.has(key)) see(key);
      model.say('');
    },
    say(words: string): void {
      model.said = words;
      changed();
    },
    /** Keeps it once she pauses. */
    typed(key: string, value: unknown): void {
      newest.set(key, value);
      goOnAfter(PAUSE);
    },
    typedIn: ({ key, value, refused }: DraftField) => String(newest.get(key) ?? refused?.value ?? value),
    /** Whether what she typed or chose is lost if she leaves. The desk takes the rest as she does. */
    isAtRisk: () => isUploading || queued > 0 || (newest.size > 0 && !(isAnswering && navigator.onLine)),
    /** Keeps a text that she's left. After that, what another device typed there shows, unless she's pressed something. */
    left(): void {
      flush();
      const turn: Promise<unknown> = last.then(() => {
        if (last === turn) changed();
      });
      last = turn;
    },
    leave,
    act,
    publish(version: string): Promise<boolean | undefined> {
      // This is about all words, not the one that she was in.
      model.entered = '';
      const { isUploaded, fields } = model.state;
      const where = isUploaded ? ' to the folder dist, for you to upload' : '';
      const left = fields.some(({ refused }) => refused) ? ', except for what stays in your draft' : '';
      model.say('Publishing …');
      return act('publish', onceKept(version, 'Publish'), `Published${where}${left}.`);
    },
    throwAway(version: string): Promise<boolean | undefined> {
      model.entered = '';
      return act('throw-away', onceKept(version, 'Throw the draft away'), 'The draft is gone.');
    },
    /** Of two devices' words, what she typed last: she has seen the other. */
    keepMine(key: string): void {
      const { value, refused } = model.find(key) ?? {};
      if (!refused) return;
      seen.set(key, { was: value, mine: refused.value, names: namesAround(key) });
      newest.set(key, newest.get(key) ?? refused.value);
      flush();
    },
    async save(key: string, change: (was: unknown) => unknown): Promise<boolean | undefined> {
      flush();
      hurried.delete(key);
      let sent = { key, nth: 0 };
      newest.delete(key);
      // A button can be pressed for another field than the one that she's in.
      model.entered = key;
      const names = namesAround(key);
      // What she gives up is what she saw as she pressed.
      const apart = model.find(key)?.refused?.value;
      const body = () => {
        // That text would be kept in another entry's place.
        if ([...newest.keys()].some((one) => one.startsWith(`${key}.`)))
          throw new Error('A text in this list isn’t in your draft yet. Try again once it is.');
        if (hurried.has(key)) throw new Error('You typed here after that. Look at it again.');
        const was = model.find(key)?.value;
        sent = toSend(key, change(was));
        return { ...sent, was, names, apart };
      };
      const isDone = await act('save', body, KEPT, key);
      // What she types meanwhile was typed over what she saw before.
      if (isDone && !newest.has(key)) see(key);
      isLast(sent, isDone);
      return isDone;
    },
  };
  return model;
}

export type Model = ReturnType<typeof openModel>;
