import { setTimeout as wait } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { HOUR, MINUTE } from '../../contract/time.ts';
import {
  noRoom,
  openOutbox,
  pass,
  SECOND,
  unreachable,
  wrongPassword,
} from '../../tests/support/service/open-outbox.ts';
import { START } from '../../tests/support/service/open-test-service.ts';
import { markSent, nextDueAt } from '../messages/claims.ts';

vi.mock('../messages/claims.ts', { spy: true });

vi.mock('node:timers/promises', async (actual) => ({
  ...(await actual<typeof import('node:timers/promises')>()),
  setTimeout: vi.fn(async () => undefined),
}));

test('a run begins no mail once its time is up', async () => {
  const { add, run, whenMailed } = await openOutbox();
  for (let index = 0; index < 9; index += 1) await add(`${index}`);
  expect(await run(0, 0)).toEqual([0, 0, 0]);
  whenMailed(async () => void vi.advanceTimersByTime(10));
  const [sent] = await run(SECOND, 20);
  expect(sent).toBeLessThan(9);
});

test('the running outbox mails what is there, and looks again when something is due, within a minute', async () => {
  const { add, outbox, tried, fail } = await openOutbox({ timers: true });
  await add('one');
  fail(unreachable);
  outbox.wake();
  await pass(MINUTE);
  expect(tried).toEqual([]);
  outbox.start();
  await pass(10 * SECOND - 1);
  expect(tried).toEqual(['one']);
  fail();
  await pass(1);
  expect(tried).toEqual(['one', 'one']);
  // By another process, which wakes nobody here.
  await add('two');
  await pass(MINUTE);
  expect(tried).toEqual(['one', 'one', 'two']);
  await outbox.stop();
  outbox.wake();
  expect(vi.getTimerCount()).toBe(0);
});

test('at its start one mail finds out whether the mail server is back, and no other is tried in vain', async () => {
  const { add, database, another, fail, tried } = await openOutbox({ timers: true });
  for (let index = 0; index < 4; index += 1) await add(`${index}`);
  const refused = { next_attempt_at: START + HOUR, last_error: 'setup smtp-535' };
  await database.db.updateTable('contact_message').set(refused).execute();
  fail(wrongPassword);
  // With settings that may have been corrected.
  for (const triedSoFar of [1, 5]) {
    const started = another();
    started.start();
    await pass(0);
    await started.stop();
    expect(tried).toHaveLength(triedSoFar);
    fail();
  }
});

test('a queue that cannot be read is looked at again after five seconds', async () => {
  vi.mocked(nextDueAt).mockClear().mockImplementationOnce(noRoom);
  const looks = () => vi.mocked(nextDueAt).mock.calls.length;
  const { outbox, said } = await openOutbox({ timers: true });
  outbox.start();
  await pass(5 * SECOND - 1);
  expect([looks(), said()]).toEqual([1, ['50 the outbox cannot read the stored messages']]);
  await pass(1);
  expect([looks(), said().length]).toEqual([2, 1]);
  await outbox.stop();
});

test('a mark that the database does not take is tried for as long as the claim lasts', async () => {
  const { add, run, said, whenMailed } = await openOutbox();
  for (let failures = 0; failures < 7; failures += 1) vi.mocked(markSent).mockImplementationOnce(noRoom);
  await add('one');
  expect(await run(0)).toEqual([1, 0, 0]);
  expect(vi.mocked(wait).mock.calls.map(([ms]) => ms)).toEqual(Array(7).fill(1000));
  const [again] = said();
  expect(again).toBe('40 the database does not take what became of a mail; it is tried again');
  // Once the lease ends, it's somebody else's, or sent again.
  vi.mocked(markSent).mockImplementationOnce(noRoom);
  whenMailed(async () => void vi.advanceTimersByTime(2 * MINUTE - 99));
  await add('two');
  expect(await run(0)).toEqual([0, 0, 0]);
  expect(said().at(-1)).toBe('50 the outbox cannot mark a message');
  expect(await run(3 * MINUTE)).toEqual([1, 0, 0]);
  expect(said().join()).not.toContain('Ana');
});
