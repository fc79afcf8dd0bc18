import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { readSettings } from '../../settings/settings.ts';
import { newPostgresDatabase } from '../../tests/support/database/test-postgres.ts';
import { startSmtpServer } from '../../tests/support/mail/smtp-server.ts';
import { MESSAGE, START, temporaryFolder } from '../../tests/support/service/open-test-service.ts';
import { type Clock, machineClock } from '../clock.ts';
import { createLog } from '../log.ts';
import { openMailer } from '../mail/mailer.ts';
import { composeNotification } from '../mail/notification.ts';
import type { Message } from '../messages/message.ts';
import { openDatabase } from '../messages/open.ts';
import { eachMessage } from '../messages/queries.ts';
import { createStore, type Store } from '../messages/store.ts';
import { createOutbox } from './outbox.ts';

/* The outbox on a clock that only the test moves, with a stored queue and whoever takes the mails. */

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const fault = (facts: object) => () => Object.assign(new Error('no'), facts);
const unreachable = fault({ code: 'ECONNECTION', command: 'CONN' });
const wrongPassword = fault({ code: 'EAUTH', responseCode: 535 });
const busy = fault({ responseCode: 451, command: 'DATA' });
const refusal = fault({ responseCode: 550, command: 'RCPT TO' });
const noAnswer = fault({ code: 'EABORT' });

/** A clock that only the test moves, and all that was asked of it. */
function testClock() {
  const time = { now: START, ticks: 0 };
  const timers = new Map<{ run: () => void }, number>();
  const waited: number[] = [];
  const limits: { ms: number; end: () => void }[] = [];
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
      const controller = new AbortController();
      limits.push({ ms, end: () => controller.abort() });
      return controller.signal;
    },
    after(ms, run) {
      const timer = { run };
      timers.set(timer, ms);
      return () => void timers.delete(timer);
    },
  };
  /** Runs what was to run after these milliseconds. */
  const fire = (wanted: number) => {
    for (const [timer, ms] of [...timers]) {
      if (ms !== wanted) continue;
      timers.delete(timer);
      timer.run();
    }
  };
  return { clock, time, timers, waited, limits, fire };
}

type Engine = 'sqlite' | 'postgres';
type Options = { mailPerHour?: number; changes?: (store: Store) => Partial<Store> };

async function open(engine: Engine, { mailPerHour = 100, changes = () => ({}) }: Options = {}) {
  const database = await openDatabase(
    engine === 'sqlite'
      ? { engine, file: join(temporaryFolder(), 'contact.db') }
      : { engine, url: await newPostgresDatabase() },
  );
  onTestFinished(() => database.close());
  const store = createStore(database, { mailDomain: 'example.com', leaseClock: 'caller' });
  const { clock, time, timers, ...rest } = testClock();
  const lines: { level: number; msg: string; [fact: string]: unknown }[] = [];
  const erased: string[] = [];
  const tried: string[] = [];
  let deliver = async (_message: Message, _signal: AbortSignal): Promise<void> => undefined;
  const another = () =>
    createOutbox({
      store: { ...store, ...changes(store) },
      async deliver(message, signal) {
        tried.push(message.message);
        await deliver(message, signal);
      },
      log: createLog('trace', { write: (line) => void lines.push(JSON.parse(line)) }),
      clock,
      mailPerHour,
      onErased: async (id) => void erased.push(id),
    });
  const outbox = another();
  const at = (ms: number) => Object.assign(time, { now: START + ms, ticks: ms });
  return {
    ...rest,
    database,
    store,
    outbox,
    another,
    time,
    timers,
    lines,
    erased,
    tried,
    at,
    /** What becomes of each mail from now on. */
    whenMailed(next: typeof deliver) {
      deliver = next;
    },
    fail(error?: () => Error) {
      deliver = async () => {
        if (error) throw error();
      };
    },
    add: (message: string, ms = 0, sentBefore = 0) =>
      store.add({ ...MESSAGE, message }, { now: START + ms, sentBefore }),
    /** So many milliseconds after the start. Returns how many were sent, failed and were set aside. */
    async run(ms: number, limits = {}) {
      at(ms);
      return Object.values(await outbox.runDue({ now: time.now, ...limits }));
    },
    async messages() {
      const found: Message[] = [];
      for await (const message of eachMessage(database, {}, 'oldest first')) found.push(message);
      return found;
    },
    said: () => lines.map(({ level, msg }) => `${level} ${msg}`),
    /** What the loop waits for, in milliseconds. */
    turns: () => [...timers.values()].filter((ms) => ms !== SLOW_AFTER),
    /** Runs what the loop asked for next, and returns for how long it then waits. */
    async turn() {
      const [next] = [...timers].filter(([, ms]) => ms !== SLOW_AFTER);
      if (!next) throw new Error('the loop waits for nothing');
      timers.delete(next[0]);
      next[0].run();
    },
  };
}

const SLOW_AFTER = 5 * SECOND;
const noRoom = async (): Promise<never> => {
  throw new Error('Ana: no room');
};

describe.each(['sqlite', 'postgres'] as const)('on %s', (engine) => {
  test('a message is mailed once, within 90 seconds from its claim, and the log names it by its id', async () => {
    const { add, run, store, messages, limits, lines } = await open(engine);
    await store.add({ ...MESSAGE, message: 'spam' }, { now: START - 1, heldFor: ['trap'] });
    const { id } = await add('one');
    expect(await run(5)).toEqual([1, 0, 0]);
    expect(limits).toMatchObject([{ ms: 90 * SECOND }]);
    expect((await messages())[1]).toMatchObject({
      state: 'delivered',
      attempts: 1,
      deliveredAt: START + 5,
      lastError: null,
    });
    expect(lines).toMatchObject([{ level: 30, msg: 'mail sent', id, attempt: 1 }]);
    expect(await run(DAY)).toEqual([0, 0, 0]);
  });

  test.each([
    ['unreachable', unreachable, 'unreachable ECONNECTION'],
    ['busy', busy, 'retry smtp-451'],
    ['silent', noAnswer, 'slow EABORT'],
  ])(
    'after a mail server that is %s, the message is tried again ten seconds later',
    async (_, error, label) => {
      const { add, run, fail, messages, lines } = await open(engine);
      const { id } = await add('one');
      fail(error);
      expect(await run(0)).toEqual([0, 1, 0]);
      expect(await messages()).toMatchObject([
        {
          state: 'waiting',
          failures: 1,
          firstFailureAt: START,
          nextAttemptAt: START + 10 * SECOND,
          lastError: label,
        },
      ]);
      const msg = 'mail not sent; it is tried again';
      expect(lines).toMatchObject([{ level: 40, msg, id, attempt: 1, fault: label, retrySeconds: 10 }]);
      expect(await run(10 * SECOND - 1)).toEqual([0, 0, 0]);
      expect(await run(10 * SECOND)).toEqual([0, 1, 0]);
    },
  );

  test('what is refused for good, or for five days, is set aside and kept', async () => {
    const { add, run, fail, messages, lines } = await open(engine);
    const { id } = await add('refused');
    fail(refusal);
    expect(await run(0)).toEqual([0, 0, 1]);
    const label = 'refused smtp-550';
    expect(await messages()).toMatchObject([{ state: 'set-aside', failures: 1, lastError: label }]);
    const msg = 'mail set aside: the mail server does not take it. The message is kept';
    expect(lines).toMatchObject([{ level: 50, msg, id, fault: label }]);
    await add('busy');
    fail(busy);
    let ms = 0;
    for (; ms < 4.9 * DAY; ms += HOUR) await run(ms);
    expect((await messages())[1]).toMatchObject({ state: 'waiting' });
    for (; ms < 5.3 * DAY; ms += HOUR) await run(ms);
    expect((await messages())[1]).toMatchObject({ state: 'set-aside' });
  });

  test('a wrong password pauses everything for 1, 5, 15 and then each 30 minutes, and costs no failure', async () => {
    const { add, run, fail, messages, lines, tried } = await open(engine);
    await add('one');
    await add('two');
    fail(wrongPassword);
    let ms = 0;
    for (const minutes of [1, 5, 15, 30, 30, 1]) {
      // After it was right once, it begins anew.
      if (ms === 81 * MINUTE) {
        fail();
        expect(await run(ms)).toEqual([2, 0, 0]);
        fail(wrongPassword);
        await add('three', ms);
        await add('four', ms);
      }
      // Both fail together, which is one fault.
      expect(await run(ms)).toEqual([0, 2, 0]);
      expect(lines.at(-1)).toMatchObject({
        level: 50,
        fault: 'setup smtp-535',
        pauseSeconds: minutes * 60,
        msg: expect.stringMatching(/^NO MAIL GOES OUT: .*Every message is kept\. Check SMTP_URL/),
      });
      ms += minutes * MINUTE;
      expect((await messages()).at(-1)).toMatchObject({
        state: 'waiting',
        failures: 0,
        nextAttemptAt: START + ms,
        lastError: 'setup smtp-535',
      });
    }
    await add('new');
    const before = tried.length;
    expect(await run(ms - 1)).toEqual([0, 0, 0]);
    expect(tried).toHaveLength(before);
    fail();
    expect(await run(ms)).toEqual([3, 0, 0]);
  });

  test('once a mail goes out, what waited only for the mail server is due at once, whoever found it away', async () => {
    const { add, run, fail, store, messages } = await open(engine);
    const errors = ['unreachable timeout', 'setup smtp-535', 'retry smtp-451', 'slow EABORT'];
    for (const [index, error] of errors.entries()) {
      await add(error, index);
      const claimed = await store.claim(START + index, MINUTE, 100);
      const failure = { now: START, nextAttemptAt: START + 3 * HOUR, error };
      expect(claimed && (await store.markFailed(claimed, failure))).toBe(true);
    }
    await add('ours', 9);
    fail();
    expect(await run(9)).toEqual([3, 0, 0]);
    const delivered = (await messages()).filter(({ state }) => state === 'delivered');
    expect(delivered.map(({ message }) => message)).toEqual([...errors.slice(0, 2), 'ours']);
  });

  test('after an outage the oldest go out first', async () => {
    const { add, run, fail, tried } = await open(engine);
    fail(unreachable);
    for (let minute = 0; minute <= 360; minute += 10) {
      await add(`${minute}`, minute * MINUTE);
      await run(minute * MINUTE);
    }
    fail();
    tried.length = 0;
    await add('361', 361 * MINUTE);
    await run(361 * MINUTE);
    const order = tried.map(Number);
    expect(new Set(order).size).toBe(38);
    // Those that were due anyway find out that the server is back, four at once; then all follow in order.
    for (const [place, minute] of order.entries())
      expect(order.slice(0, place).filter((other) => other > minute).length).toBeLessThanOrEqual(8);
  });

  test('four mails are on their way at once, and the next begins when one of them ends', async () => {
    const { add, run, whenMailed, tried } = await open(engine);
    for (let index = 0; index < 6; index += 1) await add(`${index}`, index);
    const finish: (() => void)[] = [];
    whenMailed(() => new Promise((resolve) => finish.push(resolve)));
    const running = run(10);
    await expect.poll(() => tried).toEqual(['0', '1', '2', '3']);
    finish.shift()?.();
    await expect.poll(() => tried).toHaveLength(5);
    finish.shift()?.();
    await expect.poll(() => tried).toHaveLength(6);
    for (const end of finish) end();
    expect(await running).toEqual([6, 0, 0]);
  });

  test('messages that got no answer before have two places of their own', async () => {
    const { add, run, fail, whenMailed, tried } = await open(engine);
    for (const text of ['a', 'b', 'c', 'd']) await add(text);
    fail(noAnswer);
    expect(await run(0)).toEqual([0, 4, 0]);
    tried.length = 0;
    const finish: (() => void)[] = [];
    whenMailed(({ message }) =>
      message > 'd' ? Promise.resolve() : new Promise((resolve) => finish.push(resolve)),
    );
    for (const text of ['e', 'f', 'g', 'h', 'i']) await add(text, HOUR);
    const running = run(HOUR);
    await expect.poll(() => tried.toSorted()).toEqual(['a', 'b', 'e', 'f', 'g', 'h', 'i']);
    const end = () => {
      for (const one of finish.splice(0)) one();
      return tried.length;
    };
    await expect.poll(end).toBe(9);
    end();
    expect(await running).toEqual([9, 0, 0]);
  });

  test('a claim is kept from others for two minutes, and time lost before the mail is taken from its 90 seconds', async () => {
    for (const [lost, left] of [
      [10, 80],
      [95, 0],
    ] as const) {
      const { add, run, store, whenMailed, limits, tried, time } = await open(engine, {
        changes: (store) => ({
          async claim(...args) {
            const claimed = await store.claim(...args);
            time.ticks += lost * SECOND;
            return claimed;
          },
        }),
      });
      await add('one');
      let others: unknown[] = [];
      whenMailed(async () => {
        others = [
          await store.claim(START + 2 * MINUTE - 1, MINUTE),
          await store.claim(START + 2 * MINUTE, MINUTE),
        ];
      });
      await run(0);
      expect(limits[0]?.ms).toBe(left * SECOND);
      expect(tried).toEqual(['one']);
      expect(others).toEqual([undefined, expect.objectContaining({ message: 'one' })]);
    }
  });

  test('MAIL_PER_HOUR holds; half of it is kept for new clients, and the log says once an hour that it is spent', async () => {
    const { add, run, said, tried } = await open(engine, { mailPerHour: 4 });
    for (let index = 1; index < 6; index += 1) await add(`flood ${index}`, index, index);
    expect(await run(9)).toEqual([2, 0, 0]);
    const told = () => said().filter((text) => text.startsWith('40'));
    expect(told()).toEqual(['40 MAIL_PER_HOUR is reached; further mails go out later']);
    for (const text of ['new', 'newer', 'newest']) await add(text, 10);
    expect(await run(10)).toEqual([2, 0, 0]);
    expect(tried).toEqual(['flood 1', 'flood 2', 'new', 'newer']);
    expect(await run(20 * MINUTE)).toEqual([0, 0, 0]);
    expect(told()).toHaveLength(1);
    expect(await run(HOUR + 10)).toEqual([2, 0, 0]);
    expect(tried.slice(4)).toEqual(['newest', 'flood 3']);
  });

  test('a mark that the database does not take is tried for as long as the claim lasts, each time after longer', async () => {
    let failures = 7;
    const { add, run, waited, said, time, whenMailed } = await open(engine, {
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

  test('the log says so when another one has claimed a mail meanwhile, or its message was erased', async () => {
    const { add, run, store, database, whenMailed, lines, erased } = await open(engine);
    const one = await add('one');
    whenMailed(async () => void (await store.claim(START + 2 * MINUTE, MINUTE)));
    expect(await run(0)).toEqual([1, 0, 0]);
    const late = 'mail sent, but only after its lease had run out';
    expect(lines).toMatchObject([{ level: 40, id: one.id, attempt: 1, msg: late }]);
    expect(erased).toEqual([]);
    await database.write(database.db.deleteFrom('contact_message'));
    const two = await add('two');
    whenMailed(async () => void (await database.write(database.db.deleteFrom('contact_message'))));
    expect(await run(0)).toEqual([1, 0, 0]);
    const gone = 'mail sent, but its message was erased meanwhile';
    expect(lines[1]).toMatchObject({ level: 40, id: two.id, msg: gone });
    expect(erased).toEqual([two.id]);
  });

  test('a run ends after a number of mails, sent or not, or after a time', async () => {
    const { add, run, fail, time, whenMailed } = await open(engine);
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
    const { add, outbox, turn, turns, tried, fail, at } = await open(engine);
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
    const { add, store, another, fail, turn, turns, tried } = await open(engine);
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
    const { outbox, turn, turns, lines } = await open(engine, {
      changes: (store) => ({
        nextDueAt: (...args) => (broken ? noRoom() : store.nextDueAt(...args)),
      }),
    });
    outbox.start();
    await turn();
    // As long as until a mail counts as slow, but nothing is on its way.
    await expect.poll(() => lines).toMatchObject([{ level: 50, err: { type: 'Error' } }]);
    expect(lines[0]?.msg).toBe('the outbox cannot read the stored messages');
    broken = false;
    await outbox.stop();
    expect(turns()).toEqual([]);
  });

  test('a stop gives the mails in hand eight seconds, and puts back what is broken off', async () => {
    const { add, outbox, run, fire, whenMailed, tried, messages, said } = await open(engine);
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
    const { add, run, outbox, tried, messages } = await open(engine, {
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
});

/** The outbox on SQLite, with a real mail server. */
async function openWithMailServer() {
  const mail = await startSmtpServer();
  onTestFinished(() => mail.close());
  const settings = readSettings({ SMTP_URL: mail.url, CONTACT_EMAIL: 'owner@example.com' });
  const mailer = openMailer(settings.mail);
  onTestFinished(() => mailer.close());
  const parts = await open('sqlite');
  parts.whenMailed((message, signal) => mailer.send(composeNotification(message, settings), signal));
  const arrived = () =>
    mail.received.flatMap(({ parsed }) => /wrote.*:\n\n(.*)\n\n--/.exec(parsed.text ?? '')?.[1] ?? []);
  return { ...parts, mail, arrived };
}

test('mails that a server leaves without an answer hold up no other, and then wait apart', async () => {
  const { add, run, mail, said, arrived, fire, limits, messages } = await openWithMailServer();
  mail.hangAtContent('hangs');
  for (let index = 0; index < 4; index += 1) await add(`${index} hangs`, index);
  for (let index = 0; index < 30; index += 1) await add(`good ${index}`, 10 + index);
  const running = run(MINUTE);
  // They take all places that mails share, until five seconds are over.
  await expect.poll(mail.holding).toBe(4);
  expect(arrived()).toEqual([]);
  fire(SLOW_AFTER);
  await expect.poll(() => said().filter((text) => text === '30 mail sent')).toHaveLength(30);
  expect(arrived()).toHaveLength(30);
  expect(mail.holding()).toBe(4);
  for (const { end } of limits) end();
  expect(await running).toEqual([30, 4, 0]);
  const waiting = (await messages()).filter(({ state }) => state === 'waiting');
  expect(waiting.map(({ lastError }) => lastError)).toEqual(Array(4).fill('slow EABORT'));
});

test('a message survives a mail server that is down, and one that always fails does not hold up the others', async () => {
  const { add, run, arrived, mail } = await openWithMailServer();
  await mail.goDown();
  await add('one');
  expect(await run(0)).toEqual([0, 1, 0]);
  await mail.comeBack();
  mail.failAt('content', 451, 'poison');
  for (let index = 0; index < 6; index += 1) await add(`poison ${index}`, index);
  for (let index = 0; index < 6; index += 1) await add(`good ${index}`, 10 + index);
  expect(await run(MINUTE)).toEqual([7, 6, 0]);
  expect(arrived().filter((text) => text.startsWith('good'))).toHaveLength(6);
});
