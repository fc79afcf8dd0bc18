import { expect, test } from 'vitest';
import { getSnapshot, toast } from './toast-store.ts';

test('an update changes what it names and keeps the rest, and nothing brings back a toast that has gone or was replaced', () => {
  const first = toast({ title: 'Sending', description: 'Wait', variant: 'destructive' });
  first.update({ description: 'Still waiting' });
  const updated = { title: 'Sending', description: 'Still waiting', variant: 'destructive' };
  expect(getSnapshot()).toMatchObject({ ...updated, open: true, duration: 5000 });
  first.dismiss();
  first.update({ title: 'Back' });
  expect(getSnapshot()).toMatchObject({ ...updated, open: false });
  toast({ title: 'Second', description: '' });
  first.dismiss();
  first.update({ title: 'Late' });
  expect(getSnapshot()).toMatchObject({ title: 'Second', open: true });
});
