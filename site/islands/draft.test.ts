import { expect, test } from 'vitest';
import { clearDraft, readDraft, saveDraft } from './draft.ts';

function memory() {
  const items = new Map<string, string>();
  const storage = {
    getItem: (key: string) => items.get(key) ?? null,
    setItem: (key: string, value: string) => void items.set(key, value),
    removeItem: (key: string) => void items.delete(key),
  };
  return { items, get: () => storage };
}

const typed = { name: 'Zoë', email: 'zoe@example.com', message: 'Two\nlines' };

test('what was typed comes back', () => {
  const { get } = memory();
  saveDraft(typed, get);
  expect(readDraft(get)).toEqual(typed);
});

test('a form emptied by hand leaves nothing behind', () => {
  const { get, items } = memory();
  saveDraft(typed, get);
  saveDraft({ name: '', email: '', message: '' }, get);
  expect(items.size).toBe(0);
});

test('a sent message is forgotten', () => {
  const { get, items } = memory();
  saveDraft(typed, get);
  clearDraft(get);
  expect(items.size).toBe(0);
  expect(readDraft(get)).toEqual({});
});

test.each(['not json', 'null', '7', '"text"', '[]', '{"name":5,"password":"x"}'])(
  'a draft that somebody else wrote is ignored: %s',
  (stored) => {
    const { get, items } = memory();
    saveDraft(typed, get);
    for (const key of items.keys()) items.set(key, stored);
    expect(readDraft(get)).toEqual({});
  },
);

test('a browser that refuses storage breaks nothing', () => {
  const refuse = () => {
    throw new DOMException('The operation is insecure.', 'SecurityError');
  };
  expect(() => saveDraft(typed, refuse)).not.toThrow();
  expect(readDraft(refuse)).toEqual({});
  expect(() => clearDraft(refuse)).not.toThrow();
});

test('a full storage breaks nothing', () => {
  const { get } = memory();
  const full = () => ({
    ...get(),
    setItem: () => {
      throw new DOMException('Full', 'QuotaExceededError');
    },
  });
  expect(() => saveDraft(typed, full)).not.toThrow();
});
