import { expect, test } from 'vitest';
import { renderToasts, type Toast, toast } from './toast-store.ts';

test('an update changes what it names and keeps the rest, and nothing brings back a toast that has gone or was replaced', () => {
  let shown: Toast | undefined;
  renderToasts((next) => {
    shown = next;
  });
  const first = toast({ title: 'Sending', description: 'Wait', variant: 'destructive' });
  first.update({ description: 'Still waiting' });
  const updated = { title: 'Sending', description: 'Still waiting', variant: 'destructive' };
  expect(shown).toMatchObject({ ...updated, open: true });
  first.dismiss();
  first.update({ title: 'Back' });
  expect(shown).toMatchObject({ ...updated, open: false });
  toast({ title: 'Second', description: '' });
  first.dismiss();
  first.update({ title: 'Late' });
  expect(shown).toMatchObject({ title: 'Second', open: true });
});
