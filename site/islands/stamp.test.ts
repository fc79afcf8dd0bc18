import { expect, test, vi } from 'vitest';

/** The page as built with this promise. */
async function receiptWithin(replyHours: number) {
  vi.resetModules();
  vi.doMock('./page-data.ts', () => ({
    pageData: { replyHours, form: { sent: 'Received {received} · reply by {replyBy}' } },
  }));
  return (await import('./stamp.ts')).receipt;
}

const received = new Date(2030, 0, 1, 10, 40).getTime();

test('a message is stamped with when it was received and by when it’s answered, by the clock here', async () => {
  const receipt = await receiptWithin(24);
  expect(receipt(received, 'en-CA')).toBe('Received Tue 10:40\nreply by Wed 10:40');
});

test('a promise of a week or more is stamped with a date, since a weekday alone would be an earlier one', async () => {
  const receipt = await receiptWithin(336);
  expect(receipt(received, 'en-CA')).toMatch(/reply by .*15/);
});

test.each(['auto', '', 'en_US', 'x', '-'])(
  'a page whose language somebody else has changed is still stamped: %j',
  async (language) => {
    const receipt = await receiptWithin(24);
    expect(receipt(received, language)).toContain('10:40');
  },
);
