import { describe, expect, test } from 'vitest';
import { START } from '../../tests/support/service/open-test-service.ts';
import {
  HOUR,
  MINUTE,
  noRoom,
  openOutbox,
  refusal,
  SECOND,
  unreachable,
  wrongPassword,
} from '../../tests/support/service/outbox-on-clock.ts';

describe.each(['sqlite', 'postgres'] as const)('on %s', (engine) => {
  test('a run ends after a number of mails, sent or not, or after a time', async () => {
    const { add, run, fail, time, whenMailed } = await openOutbox(engine);
    for (let index = 0; index < 9; index += 1) await add(`${index}`);
    expect(await run(0, { most: 1 })).toEqual([1, 0, 0]);
    expect(await run(0, { withinMs: 0 })).toEqual([0, 0, 0]);
    fail(unreachable);
    expect(await run(0, { most: 2 })).toEqual([0, 2, 0]);
    fail(refusal);
    expect(await run(0, { most: 2 })).toEqual([0, 0, 2]);
    whenMailed(async () => {
      time.ticks += 10;
    });
    expect(await run(SECOND, { withinMs: 20, most: 5 })).toEqual([2, 0, 0]);
  });

  test('the running outbox mails what is there, and looks again when something is due, within a minute', async () => {
    const { add, outbox, turn, turns, tried, fail, at } = await openOutbox(engine);
    outbox.wake();
    expect(turns()).toEqual([]);
    outbox.start();
    expect(turns()).toEqual([0]);
    await turn();
    await expect.poll(turns).toEqual([MINUTE]);
    await add('one');
    fail(unreachable);
    outbox.wake();
    // Woken by the end of the mail, and then due in ten seconds.
    const next = async () => {
      if (turns()[0] === 0) await turn();
      return turns();
    };
    await expect.poll(next).toEqual([10 * SECOND]);
    expect(tried).toEqual(['one']);
    at(10 * SECOND - 1);
    await turn();
    await expect.poll(turns).toEqual([SECOND]);
    await outbox.stop();
    outbox.wake();
    expect(turns()).toEqual([]);
  });

  test('at its start one mail finds out whether the mail server is back, and no other is tried in vain', async () => {
    const { add, store, another, fail, turn, turns, tried } = await openOutbox(engine);
    for (let index = 0; index < 4; index += 1) {
      await add(`${index}`);
      const claimed = await store.claim(START, MINUTE);
      const refused = { nextAttemptAt: START + HOUR, error: 'setup smtp-535' };
      expect(claimed && (await store.giveBack(claimed, refused))).toBe(true);
    }
    fail(wrongPassword);
    // Settings that may have been corrected.
    const started = another();
    started.start();
    const next = async () => {
      if (turns()[0] === 0) await turn();
      return turns();
    };
    await expect.poll(next).toEqual([MINUTE]);
    await started.stop();
    expect(tried).toHaveLength(1);
    fail();
    const corrected = another();
    corrected.start();
    await expect.poll(async () => [tried.length, ...(await next())]).toEqual([5, MINUTE]);
    await corrected.stop();
  });

  test('a queue that cannot be read is looked at again after five seconds', async () => {
    let broken = true;
    const { outbox, turn, turns, lines } = await openOutbox(engine, {
      changes: (store) => ({
        nextDueAt: (...args) => (broken ? noRoom() : store.nextDueAt(...args)),
      }),
    });
    outbox.start();
    await turn();
    await expect.poll(() => lines).toMatchObject([{ level: 50, err: { type: 'Error' } }]);
    expect(lines[0]?.msg).toBe('the outbox cannot read the stored messages');
    broken = false;
    await outbox.stop();
    expect(turns()).toEqual([]);
  });

  test('a stop gives the mails in hand eight seconds, and puts back what is broken off', async () => {
    const { add, outbox, run, fire, whenMailed, tried, messages, said } = await openOutbox(engine);
    await add('slow');
    whenMailed(
      (_, signal) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason));
        }),
    );
    const running = run(7);
    await expect.poll(() => tried).toEqual(['slow']);
    await add('not begun');
    const stopped = outbox.stop();
    fire(8 * SECOND);
    await stopped;
    expect(await running).toEqual([0, 1, 0]);
    expect((await messages())[0]).toMatchObject({
      state: 'waiting',
      failures: 0,
      lastError: null,
      nextAttemptAt: START + 7,
    });
    expect(said()).toEqual(['40 mail broken off by the stop; it goes out at the next start']);
    expect(tried).toEqual(['slow']);
  });

  test('a message that was claimed while the outbox stopped is given back untried', async () => {
    const { add, run, outbox, tried, messages } = await openOutbox(engine, {
      changes: (store) => ({
        claim(...args) {
          void outbox.stop();
          return store.claim(...args);
        },
      }),
    });
    await add('one');
    expect(await run(7)).toEqual([0, 0, 0]);
    expect(tried).toEqual([]);
    expect(await messages()).toMatchObject([{ state: 'waiting', nextAttemptAt: START + 7 }]);
  });

  test('a mark that the database does not take is tried for as long as the claim lasts, each time after longer', async () => {
    let failures = 7;
    const { add, run, waited, said, time, whenMailed } = await openOutbox(engine, {
      changes: (store) => ({
        markSent(...args) {
          failures -= 1;
          return failures >= 0 ? noRoom() : store.markSent(...args);
        },
      }),
    });
    await add('one');
    expect(await run(0)).toEqual([1, 0, 0]);
    expect(waited).toEqual([100, 200, 400, 800, 1600, 2000, 2000]);
    const [again] = said();
    expect(again).toBe('40 the database does not take what became of a mail; it is tried again');
    // Once the lease ends, it's somebody else's, or sent again.
    failures = 1;
    whenMailed(async () => {
      time.ticks += 2 * MINUTE - 99;
    });
    await add('two');
    expect(await run(0)).toEqual([0, 0, 0]);
    expect(said().at(-1)).toBe('50 the outbox cannot mark a message');
    expect(await run(3 * MINUTE)).toEqual([1, 0, 0]);
    expect(said().join()).not.toContain('Ana');
  });
});
