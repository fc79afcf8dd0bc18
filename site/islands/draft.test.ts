import { beforeEach, expect, test, vi } from 'vitest';
import { readDraft, saveDraft } from './draft.ts';

const items = new Map<string, string>();
const storage = {
  getItem: (key: string) => items.get(key) ?? null,
  setItem: (key: string, value: string) => void items.set(key, value),
  removeItem: (key: string) => void items.delete(key),
};
beforeEach(() => void vi.stubGlobal('sessionStorage', storage));

const typed = { name: 'Zoë', email: 'zoe@example.com', message: 'Two\nlines' };

test('a draft in another format is ignored, and a form that was emptied by hand leaves nothing behind', () => {
  for (const stored of ['not json', 'null', '7', '"text"', '[]', '{"name":5,"password":"x"}']) {
    saveDraft(typed);
    for (const key of items.keys()) items.set(key, stored);
    expect(readDraft(), stored).toEqual({});
  }
  saveDraft({ name: '', email: '', message: '' });
  expect(items.size).toBe(0);
});

test('a storage that is full, or that the visitor blocks, breaks nothing', () => {
  const refuse = () => {
    throw new DOMException('Denied', 'SecurityError');
  };
  vi.stubGlobal('sessionStorage', { ...storage, setItem: refuse });
  saveDraft(typed);
  vi.spyOn(globalThis, 'sessionStorage', 'get').mockImplementation(refuse);
  saveDraft({});
  expect(readDraft()).toEqual({});
});
