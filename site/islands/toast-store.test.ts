import { beforeEach, expect, test, vi } from 'vitest';

// A fresh store for each test: the module holds a single toast.
let store: typeof import('./toast-store.ts');
beforeEach(async () => {
  vi.resetModules();
  store = await import('./toast-store.ts');
});

test('a toast is open, plain and lasts five seconds by default', () => {
  const { id } = store.toast({ title: 'Success!', description: 'Sent.' });
  expect(store.getSnapshot()).toEqual({
    id,
    title: 'Success!',
    description: 'Sent.',
    variant: 'default',
    duration: 5000,
    open: true,
    revision: 0,
  });
});

test('the handle of a replaced toast no longer does anything', () => {
  const first = store.toast({ title: 'First', description: '' });
  store.toast({ title: 'Second', description: '' });
  first.dismiss();
  first.update({ title: 'Late' });
  expect(store.getSnapshot()).toMatchObject({ title: 'Second', open: true, revision: 0 });
});

test('a dismissed toast keeps its words while it leaves, and stays gone', () => {
  const handle = store.toast({ title: 'Bye', description: 'Leaving' });
  handle.dismiss();
  expect(store.getSnapshot()).toMatchObject({ title: 'Bye', open: false });
  handle.update({ title: 'Back' });
  expect(store.getSnapshot()).toMatchObject({ title: 'Bye', open: false });
});

test('dismissing without an id closes whichever toast is on screen', () => {
  store.toast({ title: 'Any', description: '' });
  store.dismiss();
  expect(store.getSnapshot()).toMatchObject({ open: false });
});

test('an update changes what it names, keeps the rest, and counts', () => {
  const { id, update } = store.toast({ title: 'Sending', description: 'Wait', variant: 'destructive' });
  update({ description: 'Still waiting' });
  expect(store.getSnapshot()).toMatchObject({
    id,
    title: 'Sending',
    description: 'Still waiting',
    variant: 'destructive',
    revision: 1,
  });
});

test('listeners hear of every change until they unsubscribe, and the snapshot is stable in between', () => {
  const listener = vi.fn();
  const leave = store.subscribe(listener);
  const { dismiss } = store.toast({ title: 'One', description: '' });
  expect(store.getSnapshot()).toBe(store.getSnapshot());
  dismiss();
  dismiss();
  expect(listener).toHaveBeenCalledTimes(2);
  leave();
  store.toast({ title: 'Two', description: '' });
  expect(listener).toHaveBeenCalledTimes(2);
});
