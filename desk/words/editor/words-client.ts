import type { Arrangement } from '../own-words.ts';
import type { EditorState } from '../words-page.ts';

type Path = readonly (string | number)[];

/** The desk refused what was asked; the message says why, in her words. */
export class NotSaved extends Error {}

/** Proves to the desk that the page of words asks, and no other site. */
const token = () => document.querySelector<HTMLMetaElement>('meta[name=token]')?.content ?? '';

/** @throws NotSaved with a sentence for her, also when the desk doesn't answer */
async function call(name: string, init?: RequestInit): Promise<EditorState> {
  let response: Response;
  try {
    response = await fetch(`/desk/words/${name}`, { ...init, headers: { 'x-desk-token': token() } });
  } catch {
    throw new NotSaved('The desk doesn’t answer. Does the site still run? What you typed is still here.');
  }
  if (response.headers.get('content-type')?.startsWith('application/json') !== true)
    throw new NotSaved('The desk was started anew. Open its new link; what you saved is there.');
  const body: unknown = await response.json();
  if (response.ok) return body as EditorState;
  throw new NotSaved((body as { error: string }).error);
}

const post = (name: string, body?: object | Blob) =>
  call(name, { method: 'POST', ...(body && { body: body instanceof Blob ? body : JSON.stringify(body) }) });

export const desk = {
  state: () => call('state'),
  /** Once the page's pictures follow its words, too. */
  whole: () => call('whole'),
  /** @param value undefined gives back what came with the project */
  save: (path: Path, was: unknown, value: unknown) => post('save', { path, was, value }),
  arrange: (path: Path, seen: string, at: number, how: Arrangement) =>
    post('arrange', { path, seen, at, how }),
  undo: () => post('undo'),
  redo: () => post('redo'),
  /** @param photo undefined shows the drawing again */
  setPhoto: (photo: Blob | undefined) => post('photo', photo),
  publish: () => post('publish'),
};

/** Asks the desk for something; what comes back is shown. */
export type Ask = (asked: () => Promise<EditorState>) => Promise<void>;
