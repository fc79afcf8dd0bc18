import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { ResendError } from '../mail/resend.ts';
import { type Clock, machineClock } from '../messages/clock.ts';
import type { Message } from '../messages/message.ts';
import { openSqlite } from '../messages/open.ts';
import { eachMessage } from '../messages/queries.ts';
import { createStore } from '../messages/store.ts';
import { createLog } from '../server/log.ts';
import { MESSAGE, START, temporaryFolder } from '../tests/open-test-service.ts';
import { createOutbox } from './outbox.ts';

/* The outbox on a clock that only the test moves, with a stored queue and whoever takes the mails. */

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

const unreachable = () => Object.assign(new Error('down'), { code: 'ECONNECTION', command: 'CONN' });
const wrongPassword = () => Object.assign(new Error('no'), { code: 'EAUTH', responseCode: 535 });
const refusal = () => Object.assign(new Error('no'), { responseCode: 550, command: 'RCPT TO' });

type Changes = Partial<ReturnType<typeof createStore>>;
type Words = Parameters<typeof createOutbox>[0]['words'];

async function open({
  mailPerHour = 100,
  changes = () => ({}),
  words,
}: {
  mailPerHour?: number;
  changes?: (store: ReturnType<typeof createStore>) => Changes;
  words?: Words;
} = {}) {
  const database = await openSqlite(join(temporaryFolder(), 'contact.db'));
  onTestFinished(() => database.close());
  const store = createStore(database, { mailDomain: 'example.com', leaseClock: 'caller' });
  const time = { now: START, ticks: 0 };
  const timers = new Map<{ run: () => void }, number>();
  const waited: number[] = [];
  const limits: number[] = [];
  const clock: Clock = {
    ...machineClock,
    now: () => time.now,
    ticks: () => time.ticks,
    random: () => 0,
    async wait(ms, signal) {
      waited.push(ms);
      signal?.throwIfAborted();
    },
    timeout(ms) {
      limits.push(ms);
      return new AbortController().signal;
    },
    after(ms, run) {
      const timer = { run };
      timers.set(timer, ms);
      return () => void timers.delete(timer);
    },
  };
  const lines: { level: number; msg: string; [fact: string]: unknown }[] = [];
  const erased: string[] = [];
  const tried: string[] = [];
  let deliver = async (_message: Message, _signal: AbortSignal): Promise<void> => undefined;
  const outbox = createOutbox({
    store: { ...store, ...changes(store) },
    ...(words && { words }),
    async deliver(message, signal) {
      tried.push(message.message);
      await deliver(message, signal);
    },
    log: createLog('trace', { write: (line) => void lines.push(JSON.parse(line)) }),
    clock,
    mailPerHour,
    onErased: async (id) => void erased.push(id),
  });
  return {
    database,
    store,
    outbox,
    time,
    timers,
    waited,
    limits,
    lines,
    erased,
    tried,
    /** What becomes of each mail from now on. */
    whenMailed(next: typeof deliver) {
      deliver = next;
    },
    fail(error: () => Error) {
      deliver = async () => {
        throw error();
      };
    },
    succeed() {
      deliver = async () => undefined;
    },
    add: (message: string, now = START) => store.add({ ...MESSAGE, message }, { now }),
    run: async (now: number, rest = {}) => Object.values(await outbox.runDue({ now, ...rest })),
    async messages() {
      const found: Message[] = [];
      for await (const message of eachMessage(database, {}, 'oldest first')) found.push(message);
      return found;
    },
    said: () => lines.map(({ level, msg }) => `${level} ${msg}`),
    /** Runs what the outbox asked for next. Returns how long it wanted to wait. */
    async turn() {
      const [[timer, ms] = []] = timers;
      if (!timer || ms === undefined) return undefined;
      timers.delete(timer);
      timer.run();
      return ms;
    },
  };
}

test('a mail has 90 seconds from its claim, is marked, and the log names it by its id', async () => {
  const { add, run, messages, limits, lines } = await open();
  const { id } = await add('one');
  expect(await run(START + 5)).toEqual([1, 0, 0]);
  expect(limits).toEqual([90 * SECOND]);
  expect(await messages()).toMatchObject([
    { state: 'delivered', attempts: 1, deliveredAt: START + 5, lastError: null },
  ]);
  expect(lines).toEqual([expect.objectContaining({ level: 30, msg: 'mail sent', id, attempt: 1 })]);
});

test('time that passed between the claim and the mail is taken from its 90 seconds, to none', async () => {
  const late = async (ms: number) => {
    const { add, run, limits, time } = await open({
      changes: (store) => ({
        async claim(...args) {
          const claimed = await store.claim(...args);
          time.ticks += ms;
          return claimed;
        },
      }),
    });
    await add('one');
    await run(START);
    return limits;
  };
  expect(await late(10 * SECOND)).toEqual([80 * SECOND]);
  expect(await late(95 * SECOND)).toEqual([0]);
});

test('a claim is kept from others for two minutes', async () => {
  const { add, outbox, store, whenMailed, tried } = await open();
  await add('one');
  let others: unknown[] = [];
  whenMailed(async () => {
    others = [
      await store.claim(START + 2 * MINUTE - 1, MINUTE),
      await store.claim(START + 2 * MINUTE, MINUTE),
    ];
  });
  await outbox.runDue({ now: START });
  expect(tried).toEqual(['one']);
  expect(others).toEqual([undefined, expect.objectContaining({ message: 'one' })]);
});

test('four mails are on their way at once, and the next begins when one of them ends', async () => {
  const { add, outbox, whenMailed, tried } = await open();
  for (let index = 0; index < 6; index += 1) await add(`${index}`, START + index);
  const finish: (() => void)[] = [];
  whenMailed(() => new Promise((resolve) => finish.push(resolve)));
  const running = outbox.runDue({ now: START + 10 });
  await expect.poll(() => tried).toEqual(['0', '1', '2', '3']);
  finish.shift()?.();
  await expect.poll(() => tried).toHaveLength(5);
  finish.shift()?.();
  await expect.poll(() => tried).toHaveLength(6);
  for (const end of finish) end();
  expect(await running).toEqual({ sent: 6, failed: 0, setAside: 0 });
});

test('a failure is counted, and tried again after its wait', async () => {
  const { add, run, fail, messages, lines } = await open();
  const { id } = await add('one');
  fail(unreachable);
  expect(await run(START)).toEqual([0, 1, 0]);
  expect(await messages()).toMatchObject([
    {
      state: 'waiting',
      failures: 1,
      firstFailureAt: START,
      nextAttemptAt: START + 10 * SECOND,
      lastError: 'unreachable ECONNECTION',
    },
  ]);
  expect(lines).toMatchObject([
    {
      level: 40,
      msg: 'mail not sent; it is tried again',
      id,
      attempt: 1,
      fault: 'unreachable ECONNECTION',
      retrySeconds: 10,
    },
  ]);
  expect(await run(START + 10 * SECOND - 1)).toEqual([0, 0, 0]);
  expect(await run(START + 10 * SECOND)).toEqual([0, 1, 0]);
});

test('what is refused for good is set aside', async () => {
  const { add, run, fail, messages, lines } = await open();
  const { id } = await add('one');
  fail(refusal);
  expect(await run(START)).toEqual([0, 0, 1]);
  expect(await messages()).toMatchObject([
    { state: 'set-aside', failures: 1, lastError: 'refused smtp-550' },
  ]);
  expect(lines).toMatchObject([
    {
      level: 50,
      msg: 'mail set aside: the mail server does not take it. The message is kept',
      id,
      fault: 'refused smtp-550',
    },
  ]);
});

test('a wrong password pauses everything for 1, 5, 15 and then each 30 minutes, and costs no failure', async () => {
  const { add, run, fail, succeed, messages, lines, tried } = await open();
  await add('one');
  await add('two');
  fail(wrongPassword);
  let now = START;
  for (const minutes of [1, 5, 15, 30, 30, 1]) {
    // After it was right once, it begins anew.
    if (now === START + 81 * MINUTE) {
      succeed();
      expect(await run(now)).toEqual([2, 0, 0]);
      fail(wrongPassword);
      await add('three', now);
      await add('four', now);
    }
    // Both fail together, which is one fault.
    expect(await run(now)).toEqual([0, 2, 0]);
    expect(lines.at(-1)).toMatchObject({
      level: 50,
      fault: 'setup smtp-535',
      pauseSeconds: minutes * 60,
      msg: 'NO MAIL GOES OUT: the mail server refuses our login, sender or quota. Every message is kept. Check SMTP_URL or RESEND_API_KEY, and MAIL_FROM',
    });
    now += minutes * MINUTE;
    expect((await messages()).at(-1)).toMatchObject({
      state: 'waiting',
      failures: 0,
      nextAttemptAt: now,
      lastError: 'setup smtp-535',
    });
  }
  // Nothing else is tried meanwhile, unless a clock that was ahead set the pause.
  await add('new', START);
  const before = tried.length;
  expect(await run(now - 1)).toEqual([0, 0, 0]);
  expect(tried).toHaveLength(before);
  await add('by the right clock', START - HOUR);
  succeed();
  expect(await run(START - HOUR)).toEqual([3, 0, 0]);
});

test('once a mail goes out, what waited only for the mail server is due at once, and nothing else', async () => {
  const { add, run, fail, succeed, messages } = await open();
  await add('down');
  fail(unreachable);
  await run(START);
  await add('busy', START + 1);
  fail(() => Object.assign(new Error('later'), { responseCode: 451, command: 'DATA' }));
  await run(START + 1);
  succeed();
  await add('good', START + 2);
  expect(await run(START + 2)).toEqual([2, 0, 0]);
  expect(await messages()).toMatchObject([
    { state: 'delivered' },
    { state: 'waiting' },
    { state: 'delivered' },
  ]);
});

test.each(['unreachable timeout', 'setup smtp-535'])(
  'so is what another server tried in vain, at %s, though this one saw nothing of it',
  async (error) => {
    const { add, run, store } = await open();
    await add('before');
    expect(await run(START)).toEqual([1, 0, 0]);
    await add('theirs', START + 1);
    const claimed = await store.claim(START + 1, MINUTE, 100);
    const failure = { now: START + 1, nextAttemptAt: START + 3 * HOUR, error };
    expect(claimed && (await store.markFailed(claimed, failure))).toBe(true);
    await add('ours', START + 2);
    expect(await run(START + 2)).toEqual([2, 0, 0]);
  },
);

test('a mark that the database does not take is tried for as long as the claim lasts, each time after longer', async () => {
  let failures = 7;
  const { add, run, waited, said, time } = await open({
    changes: (store) => ({
      async markSent(...args) {
        failures -= 1;
        if (failures >= 0) throw new Error('no room');
        return store.markSent(...args);
      },
    }),
  });
  await add('one');
  expect(await run(START)).toEqual([1, 0, 0]);
  expect(waited).toEqual([100, 200, 400, 800, 1600, 2000, 2000]);
  expect(said()).toEqual([
    ...waited.map(() => '40 the database does not take what became of a mail; it is tried again'),
    '30 mail sent',
  ]);

  const late = async (ticks: number) => {
    const { add, run, whenMailed, time, said } = await open({
      changes: () => ({
        async markSent() {
          throw new Error('no room');
        },
      }),
    });
    await add('one');
    whenMailed(async () => {
      time.ticks += ticks;
      // Ends the tries that are still allowed.
      setImmediate(() => setImmediate(() => (time.ticks += HOUR)));
    });
    await run(START);
    return said();
  };
  expect(await late(2 * MINUTE - 99)).toEqual(['50 the outbox cannot mark a message']);
  expect((await late(2 * MINUTE - 100))[0]).toMatch(/^40 the database does not take/);
  expect(time.ticks).toBe(0);
});

test('a mail that another one has claimed meanwhile, or whose message is erased, is said to be so', async () => {
  const { add, run, store, database, whenMailed, lines, erased } = await open();
  const one = await add('one');
  whenMailed(async () => void (await store.claim(START + 2 * MINUTE, MINUTE)));
  expect(await run(START)).toEqual([1, 0, 0]);
  expect(lines).toMatchObject([
    { level: 40, id: one.id, attempt: 1, msg: 'mail sent, but only after its lease had run out' },
  ]);
  expect(erased).toEqual([]);
  await database.write(database.db.deleteFrom('contact_message'));
  const two = await add('two');
  whenMailed(async () => void (await database.write(database.db.deleteFrom('contact_message'))));
  expect(await run(START)).toEqual([1, 0, 0]);
  expect(lines.slice(1)).toMatchObject([
    { level: 40, id: two.id, msg: 'mail sent, but its message was erased meanwhile' },
  ]);
  expect(erased).toEqual([two.id]);
});

test('the log speaks of what goes out, and who takes it', async () => {
  const { add, run, fail, said } = await open({
    words: { what: 'notice', taker: 'the webhook', setBy: 'NOTIFY_WEBHOOK_URL' },
  });
  await add('one');
  fail(refusal);
  await run(START);
  expect(said()).toEqual(['50 notice set aside: the webhook does not take it. The message is kept']);
});

test('a spent budget is told once an hour, and the queue is not asked again for a second', async () => {
  let claims = 0;
  const { add, run, said, tried } = await open({
    mailPerHour: 2,
    changes: (store) => ({
      claim(...args) {
        claims += 1;
        return store.claim(...args);
      },
    }),
  });
  for (const text of ['one', 'two', 'three']) await add(text);
  expect(await run(START)).toEqual([2, 0, 0]);
  const told = () => said().filter((text) => text.startsWith('40'));
  expect(told()).toEqual(['40 MAIL_PER_HOUR is reached; further mails go out later']);
  const before = claims;
  await run(START + 999);
  expect(claims).toBe(before);
  await run(START + SECOND);
  expect(claims).toBe(before + 1);
  // A clock that was put back doesn't count.
  await run(START - 1);
  expect(claims).toBe(before + 2);
  expect(told()).toHaveLength(2);
  await run(START + HOUR - 2);
  expect(told()).toHaveLength(2);
  expect(tried).toHaveLength(2);
  expect(await run(START + HOUR + SECOND)).toEqual([1, 0, 0]);
});

test('half of the budget is kept for clients that had sent nothing, without a pause for them', async () => {
  const { store, run } = await open({ mailPerHour: 2 });
  const from = (message: string, sentBefore: number) =>
    store.add({ ...MESSAGE, message }, { now: START, sentBefore });
  await from('first of a flood', 1);
  await from('second of a flood', 2);
  expect(await run(START)).toEqual([1, 0, 0]);
  await from('somebody new', 0);
  expect(await run(START)).toEqual([1, 0, 0]);
});

test('a run ends after so many mails, counted however they end, or after so long', async () => {
  const { add, run, fail, time, whenMailed } = await open();
  for (let index = 0; index < 9; index += 1) await add(`${index}`);
  expect(await run(START, { most: 1 })).toEqual([1, 0, 0]);
  expect(await run(START, { withinMs: 0 })).toEqual([0, 0, 0]);
  fail(unreachable);
  expect(await run(START, { most: 2 })).toEqual([0, 2, 0]);
  fail(refusal);
  expect(await run(START, { most: 2 })).toEqual([0, 0, 2]);
  whenMailed(async () => {
    time.ticks += 10;
  });
  time.ticks = 5;
  expect(await run(START + SECOND, { withinMs: 20, most: 5 })).toEqual([2, 0, 0]);
});

test('after its start it mails what is there, and looks again when something is due, within a minute', async () => {
  const asked: unknown[][] = [];
  const { add, outbox, turn, timers, tried, fail, time } = await open({
    changes: (store) => ({
      async makeDue(...args) {
        asked.push(args);
        await store.makeDue(...args);
      },
    }),
  });
  const turned = async () => {
    const ms = await turn();
    await expect.poll(() => timers.size).toBe(1);
    return ms;
  };
  outbox.wake();
  expect(timers.size).toBe(0);
  outbox.start();
  expect(await turned()).toBe(0);
  // Whatever failed for the mail server's sake may go now, but one mail finds out whether it does.
  expect(asked).toEqual([[['unreachable', 'setup'], START, 1]]);
  expect(await turned()).toBe(MINUTE);
  expect(asked).toHaveLength(1);
  await add('one');
  fail(unreachable);
  outbox.wake();
  expect(timers.size).toBe(1);
  expect(await turned()).toBe(0);
  await expect.poll(() => tried).toEqual(['one']);
  // Woken by the end of the mail, and then due in ten seconds.
  const next = async () => {
    if ([...timers.values()][0] === 0) await turn();
    return [...timers.values()];
  };
  await expect.poll(next).toEqual([10 * SECOND]);
  time.now += 10 * SECOND - 1;
  await turned();
  await expect.poll(() => [...timers.values()]).toEqual([100]);
  await outbox.stop();
  expect(timers.size).toBe(0);
  outbox.wake();
  expect(timers.size).toBe(0);
});

test('a queue that cannot be read is looked at again after five seconds', async () => {
  let broken = true;
  const { outbox, turn, timers, said, lines } = await open({
    changes: (store) => ({
      async nextDueAt() {
        if (broken) throw new Error('gone');
        return store.nextDueAt();
      },
      async makeFarDue() {
        throw new Error('gone');
      },
    }),
  });
  outbox.start();
  await turn();
  await expect.poll(() => [...timers.values()]).toEqual([5 * SECOND]);
  expect(said()).toEqual(['50 the outbox cannot read the stored messages']);
  expect(lines[0]).toHaveProperty('err');
  broken = false;
  await turn();
  await expect.poll(() => [...timers.values()]).toEqual([MINUTE]);
  await outbox.forgetFarTimes(START);
  expect(said()).toHaveLength(2);
});

test('what a clock that ran ahead put off is due again, which wakes the outbox', async () => {
  const { add, outbox, turn, timers, messages } = await open();
  await add('far', START + 3 * HOUR + 1);
  outbox.start();
  await turn();
  await expect.poll(() => [...timers.values()]).toEqual([MINUTE]);
  await outbox.forgetFarTimes(START + 1);
  expect([...timers.values()]).toEqual([MINUTE]);
  await outbox.forgetFarTimes(START);
  expect([...timers.values()]).toEqual([0]);
  expect((await messages())[0]?.nextAttemptAt).toBe(START);
});

test('a stop gives the mails in hand eight seconds, and puts back what is broken off', async () => {
  const { add, outbox, turn, timers, whenMailed, tried, messages, said } = await open();
  await add('slow');
  whenMailed(
    (_, signal) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason));
      }),
  );
  outbox.start();
  await turn();
  await expect.poll(() => tried).toEqual(['slow']);
  const stopped = outbox.stop();
  expect([...timers.values()]).toEqual([8 * SECOND]);
  await turn();
  await stopped;
  expect(await messages()).toMatchObject([
    { state: 'waiting', failures: 0, lastError: null, nextAttemptAt: START },
  ]);
  expect(said()).toEqual(['40 mail broken off by the stop; it goes out at the next start']);
});

test('a message that was claimed while the outbox stopped is given back untried', async () => {
  let stopped: Promise<void> | undefined;
  const { add, outbox, tried, messages } = await open({
    changes: (store) => ({
      async claim(...args) {
        stopped = outbox.stop();
        return store.claim(...args);
      },
    }),
  });
  await add('one');
  expect(await outbox.runDue({ now: START + 7 })).toEqual({ sent: 0, failed: 0, setAside: 0 });
  await stopped;
  expect(tried).toEqual([]);
  expect(await messages()).toMatchObject([{ state: 'waiting', nextAttemptAt: START + 7 }]);
  expect(await outbox.runDue({ now: START + HOUR })).toEqual({ sent: 0, failed: 0, setAside: 0 });
});

test('a stop waits for a mail that goes out after all, and lets it', async () => {
  const { add, outbox, turn, timers, whenMailed, tried, messages, said } = await open();
  await add('one');
  let finish = () => {};
  whenMailed(
    () =>
      new Promise((resolve) => {
        finish = resolve;
      }),
  );
  outbox.start();
  await turn();
  await expect.poll(() => tried).toHaveLength(1);
  let hasStopped = false;
  const stopped = outbox.stop().then(() => {
    hasStopped = true;
  });
  await new Promise((resolve) => setImmediate(resolve));
  expect(hasStopped).toBe(false);
  finish();
  await stopped;
  expect(timers.size).toBe(0);
  expect(said()).toEqual(['30 mail sent']);
  expect((await messages())[0]?.state).toBe('delivered');
});

test('a quota is a matter of the settings, so nothing counts as failed', async () => {
  const { add, run, fail, messages } = await open();
  await add('one');
  fail(() => new ResendError(429, 'daily_quota_exceeded', ''));
  expect(await run(START)).toEqual([0, 1, 0]);
  expect(await messages()).toMatchObject([{ failures: 0, nextAttemptAt: START + MINUTE }]);
});

test('the log has the facts: which message, what fault, how many', async () => {
  const { add, run, outbox, time, lines } = await open({
    mailPerHour: 2,
    changes: () => ({
      async markSent() {
        time.ticks += MINUTE;
        throw new Error('no room');
      },
      async makeFarDue() {
        throw new Error('gone');
      },
    }),
  });
  const { id } = await add('one');
  await run(START);
  await outbox.forgetFarTimes(START);
  const err = expect.objectContaining({ type: 'Error' });
  expect(lines).toMatchObject([
    { level: 40, err, msg: expect.stringContaining('it is tried again') },
    { level: 50, err, id, msg: 'the outbox cannot mark a message' },
    { level: 50, err, msg: 'the outbox cannot read the stored messages' },
  ]);
});

test('the budget of any client is told as spent when it is, and asked for once a moment', async () => {
  let claims = 0;
  const { store, run, lines } = await open({
    mailPerHour: 2,
    changes: (store) => ({
      claim(...args) {
        claims += 1;
        return store.claim(...args);
      },
    }),
  });
  const from = (message: string, sentBefore: number) =>
    store.add({ ...MESSAGE, message }, { now: START, sentBefore });
  for (const text of ['one', 'two', 'three']) await from(text, 1);
  expect(await run(START)).toEqual([1, 0, 0]);
  expect(lines.filter(({ level }) => level === 40)).toMatchObject([{ mailPerHour: 2 }]);
  await from('new', 0);
  expect(await run(START)).toEqual([1, 0, 0]);
  const before = claims;
  await run(START);
  expect(claims).toBe(before);
});

test('while it runs, the end of a mail lets the fifth go, and a spent budget is asked after a second later', async () => {
  const { add, outbox, turn, timers, tried, whenMailed } = await open({ mailPerHour: 10 });
  for (let index = 0; index < 6; index += 1) await add(`${index}`, START - 6 + index);
  const finish: (() => void)[] = [];
  whenMailed(() => new Promise((resolve) => finish.push(resolve)));
  outbox.start();
  outbox.wake();
  expect(timers.size).toBe(1);
  await turn();
  await expect.poll(() => tried).toHaveLength(4);
  await expect.poll(() => [...timers.values()]).toEqual([MINUTE]);
  finish.shift()?.();
  await expect.poll(() => [...timers.values()]).toEqual([0]);
  await turn();
  await expect.poll(() => tried).toHaveLength(5);
  for (let index = 5; index < 14; index += 1) await add(`later ${index}`);
  const next = async () => {
    for (const end of finish.splice(0)) end();
    if ([...timers.values()][0] === 0) await turn();
    return [tried.length, ...timers.values()];
  };
  await expect.poll(next).toEqual([10, SECOND]);
  await outbox.stop();
});

test('a mail that the stop broke off counts as one that failed', async () => {
  const { add, outbox, turn, tried, whenMailed } = await open();
  await add('slow');
  whenMailed(
    (_, signal) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason));
      }),
  );
  const running = outbox.runDue({ now: START });
  await expect.poll(() => tried).toHaveLength(1);
  const stopped = outbox.stop();
  await turn();
  await stopped;
  expect(await running).toEqual({ sent: 0, failed: 1, setAside: 0 });
});
