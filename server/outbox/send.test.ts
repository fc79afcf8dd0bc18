import { setImmediate } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import { DAY, HOUR, MINUTE } from '../../contract/time.ts';
import { readSettings } from '../../settings/settings.ts';
import { openFile } from '../../tests/support/database/new-database.ts';
import { createStore } from '../../tests/support/database/open-store.ts';
import { startSmtpServer, textOf } from '../../tests/support/mail/smtp-server.ts';
import { untilEnd } from '../../tests/support/network/until-end.ts';
import { MESSAGE, SAID, START, temporaryFolder } from '../../tests/support/service.ts';
import { createLog } from '../log.ts';
import { composeNotification } from '../mail/mails.ts';
import { openMailer, sendWholeOrPlain } from '../mail/transport.ts';
import { claim, markSent, nextDueAt } from '../messages/claims.ts';
import type { Message } from '../messages/table.ts';
import { createOutbox } from './loop.ts';

vi.mock('../messages/claims.ts', { spy: true });
const usual = await vi.importActual<typeof import('../messages/claims.ts')>('../messages/claims.ts');

const SECOND = 1_000;
const TIMERS = ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] as const;

const taken = async () => null;
const fault = (facts: object) => async () => {
  throw Object.assign(new Error('no'), facts);
};
const unreachable = fault({ code: 'ECONNECTION', command: 'CONN' });
const wrongPassword = fault({ code: 'EAUTH', responseCode: 535 });
const refusal = fault({ responseCode: 550, command: 'DATA' });

/** The outbox with a stored queue and a stand-in for the mail server, in a time that only the test moves. */
async function openOutbox({ mailPerHour = 100, timers = false } = {}) {
  vi.useFakeTimers({ toFake: ['Date', 'performance', ...(timers ? TIMERS : [])], now: START });
  vi.spyOn(Math, 'random').mockReturnValue(0);
  onTestFinished(() => void vi.useRealTimers());
  const database = await openFile();
  const store = createStore(database);
  const lines: { level: number; msg: string; [fact: string]: unknown }[] = [];
  const tried: string[] = [];
  let deliver: (message: Message, signal: AbortSignal) => Promise<unknown> = taken;
  const settings = readSettings({ MAIL_PER_HOUR: `${mailPerHour}`, MAIL_DIR: temporaryFolder() });
  const another = () =>
    createOutbox({
      async deliver(message, signal) {
        tried.push(message.message);
        const refusal = await deliver(message, signal);
        return typeof refusal === 'string' ? refusal : null;
      },
      database,
      settings,
      log: createLog('trace', { write: (line) => void lines.push(JSON.parse(line)) }),
    });
  const outbox = another();
  return {
    database,
    store,
    outbox,
    another,
    lines,
    tried,
    whenMailed(next: typeof deliver) {
      deliver = next;
    },
    add: (message: string, ms = 0, sentBefore = 0) =>
      store.add({ ...MESSAGE, message }, { now: START + ms, sentBefore }),
    /** Runs this many milliseconds after the start. Returns how many were sent, failed and were set aside. */
    async run(ms: number, withinMs?: number) {
      vi.advanceTimersByTime(Math.max(0, START + ms - Date.now()));
      return Object.values(await outbox.runDue(withinMs));
    },
    messages: () => database.db.selectFrom('contact_message').selectAll().orderBy('received_at').execute(),
    said: () => lines.map(({ level, msg }) => `${level} ${msg}`),
  };
}

async function pass(ms: number): Promise<void> {
  await vi.advanceTimersByTimeAsync(ms);
  for (let turn = 0; turn < 20; turn += 1) await setImmediate();
}

const noRoom = async (): Promise<never> => {
  throw new Error('Ana: no room');
};

test.each([
  ['unreachable', unreachable, 'unreachable ECONNECTION'],
  ['busy', fault({ responseCode: 451, command: 'DATA' }), 'retry smtp-451'],
  ['silent', fault({ code: 'EABORT' }), 'slow EABORT'],
  ['sure that her mailbox is full', fault({ responseCode: 552, command: 'RCPT TO' }), 'mailbox smtp-552'],
])('when the mail server is %s, the message is tried again after ten seconds', async (_, error, label) => {
  const { add, run, whenMailed, messages, lines } = await openOutbox();
  const { id } = await add('one');
  whenMailed(error);
  expect(await run(0)).toEqual([0, 1, 0]);
  const next = { first_failure_at: START, next_attempt_at: START + 10 * SECOND };
  expect(await messages()).toMatchObject([{ state: 'waiting', failures: 1, last_error: label, ...next }]);
  const msg = 'mail not sent; it is tried again';
  expect(lines).toMatchObject([{ level: 40, msg, id, attempt: 1, fault: label, retrySeconds: 10 }]);
  expect(await run(10 * SECOND - 1)).toEqual([0, 0, 0]);
  expect(await run(10 * SECOND)).toEqual([0, 1, 0]);
});

test('what isn’t taken for five days is set aside and kept, whatever a fast clock has noted', async () => {
  const { add, database, run, whenMailed, messages, lines } = await openOutbox();
  const { id } = await add('one');
  // She was told that it's late, but not that it's set aside.
  const noted = { first_failure_at: START + 365 * DAY, listed_at: START };
  await database.db.updateTable('contact_message').set(noted).execute();
  whenMailed(refusal);
  let ms = 0;
  for (; ms < 4.9 * DAY; ms += HOUR) await run(ms);
  expect(await messages()).toMatchObject([{ state: 'waiting' }]);
  for (; ms < 5.3 * DAY; ms += HOUR) await run(ms);
  const label = 'refused smtp-550';
  expect(await messages()).toMatchObject([{ state: 'set_aside', last_error: label, listed_at: null }]);
  const msg = 'mail set aside after days of tries. The message is kept';
  expect(lines.at(-1)).toMatchObject({ level: 50, msg, id, fault: label });
});

test('a wrong password is tried just as rarely if each minute has its own process, as on Supabase', async () => {
  const { add, another, whenMailed, tried } = await openOutbox();
  await add('one');
  whenMailed(wrongPassword);
  for (let minute = 0; minute < 120; minute += 1) {
    await another().runDue();
    vi.advanceTimersByTime(MINUTE);
  }
  expect(tried).toHaveLength(7);
});

test('a wrong password pauses everything for 1, 5, 15 and then 30 minutes each, is tried once after each, with what came meanwhile, and counts as no failure', async () => {
  const { add, run, whenMailed, messages, lines, tried } = await openOutbox();
  await add('one');
  await add('two');
  whenMailed(wrongPassword);
  let ms = 0;
  for (const minutes of [1, 5, 15, 30, 30, 1]) {
    // Once it was right, the pauses start over.
    if (minutes === 1 && ms > 0) {
      whenMailed(taken);
      expect(await run(ms)).toEqual([2, 0, 0]);
      whenMailed(wrongPassword);
      await add('three', ms);
      await add('four', ms);
    }
    // The first two fail together, which is one fault. From then on, one message finds out.
    expect(await run(ms)).toEqual([0, minutes === 1 ? 2 : 1, 0]);
    expect(lines.at(-1)).toMatchObject({
      level: 50,
      fault: 'setup smtp-535',
      pauseSeconds: minutes * 60,
      msg: expect.stringMatching(/^NO MAIL GOES OUT: .*Every message is kept\. Check SMTP_URL/),
    });
    ms += minutes * MINUTE + SECOND;
    const fault = { failures: 0, last_error: 'setup smtp-535' };
    const waiting = { state: 'waiting', next_attempt_at: START + ms, ...fault };
    expect(await messages()).toContainEqual(expect.objectContaining(waiting));
  }
  await add('new', ms);
  expect(await run(ms - SECOND - 1)).toEqual([0, 0, 0]);
  expect(await run(ms - SECOND)).toEqual([0, 1, 0]);
  expect(tried.at(-1)).toBe('new');
  whenMailed(taken);
  expect(await run(ms + 5 * MINUTE + SECOND)).toEqual([3, 0, 0]);
});

test('once a mail goes out, what waited for the mail server is due at once, and the rest once an hour', async () => {
  const { add, run, database, messages } = await openOutbox();
  const atOnce = ['unreachable timeout', 'setup smtp-535', 'mailbox smtp-552'];
  const errors = [...atOnce, 'unsure ETIMEDOUT', 'slow EABORT'];
  for (const [hours, due, count] of [
    [0, errors, 6],
    [0.5, atOnce, 10],
    [1, errors, 18],
  ] as const) {
    const from = hours * HOUR;
    for (const [index, last_error] of errors.entries()) {
      const { id } = await add(`${hours} ${last_error}`, from + index);
      const failed = { last_error, next_attempt_at: START + from + 2 * HOUR };
      await database.db.updateTable('contact_message').set(failed).where('id', '=', id).execute();
    }
    await add(`${hours} ours`, from + 9);
    await run(from + 9);
    const sent = (await messages()).flatMap(({ state, message }) => (state === 'sent' ? [message] : []));
    for (const what of [...due, 'ours']) expect(sent).toContain(`${hours} ${what}`);
    expect(sent).toHaveLength(count);
  }
});

test('if a message’s words are refused, not its sender, she’s told at once without them, and only then is it retried', async () => {
  const { add, run, mail, messages } = await openWithMailServer();
  mail.failAt('content', 554, 'wrote');
  const { id } = await add('Help me');
  expect(await run(0)).toEqual([1, 0, 0]);
  expect(await messages()).toMatchObject([{ state: 'sent', last_error: 'refused smtp-554' }]);
  const [{ raw = '', parsed = undefined } = {}] = mail.received;
  expect(parsed?.messageId).toBe(`<${id}.plain@example.com>`);
  expect(parsed?.text).toMatch(/Received: Saturday, November 21.*Stored as/s);
  expect(raw + JSON.stringify(parsed)).not.toMatch(/Ana|ana@example|Help/);
  mail.failAt('content', 554);
  await add('Another');
  expect(await run(1)).toEqual([0, 1, 0]);
  expect((await messages())[1]).toMatchObject({ state: 'waiting', last_error: 'refused smtp-554' });
  mail.failAt('content', 530, 'wrote');
  await add('A third');
  expect(await run(2)).toEqual([0, 1, 0]);
  expect((await messages())[2]).toMatchObject({ state: 'waiting', last_error: 'setup smtp-530' });
  expect(mail.received).toHaveLength(1);
});

test('the oldest eight mails are on their way at once, and the next begins when one of them ends', async () => {
  const { add, run, whenMailed, tried } = await openOutbox();
  for (let index = 0; index < 10; index += 1) await add(`${index}`, index);
  const finish: ((_: null) => void)[] = [];
  whenMailed(() => new Promise((resolve) => finish.push(resolve)));
  const running = run(10);
  await expect.poll(() => tried).toEqual(['0', '1', '2', '3', '4', '5', '6', '7']);
  finish.shift()?.(null);
  await expect.poll(() => tried).toHaveLength(9);
  finish.shift()?.(null);
  await expect.poll(() => tried).toHaveLength(10);
  for (const end of finish) end(null);
  expect(await running).toEqual([10, 0, 0]);
});

test('a mail in hand is kept from others however long it takes, and from a dead server for two minutes', async () => {
  const { add, run, store, whenMailed } = await openOutbox({ timers: true });
  await add('one');
  const finish: ((_: null) => void)[] = [];
  whenMailed(() => new Promise((resolve) => finish.push(resolve)));
  const running = run(0);
  for (let seconds = 0; seconds < 300; seconds += 30) {
    expect(await store.claim(undefined, MINUTE)).toBeUndefined();
    await pass(30 * SECOND);
  }
  finish.pop()?.(null);
  expect(await running).toEqual([1, 0, 0]);
  await add('two', 300 * SECOND);
  const runningAgain = run(300 * SECOND);
  await pass(100 * SECOND);
  // If the server were killed now.
  expect(await store.claim(START + 520 * SECOND, MINUTE)).toMatchObject({ message: 'two' });
  finish.pop()?.(null);
  await runningAgain;
});

test('a clock that jumps by days has no mail in hand sent a second time', async () => {
  const { add, run, tried, whenMailed } = await openOutbox();
  await add('one');
  const { promise, resolve } = Promise.withResolvers<null>();
  whenMailed(() => promise);
  const running = run(0);
  await vi.waitUntil(() => tried.length === 1);
  const { results } = vi.mocked(claim).mock;
  const before = results.length;
  vi.setSystemTime(START + 5 * DAY);
  const again = run(5 * DAY);
  await vi.waitUntil(() => results.length > before);
  expect(await results.at(-1)?.value).toBeUndefined();
  resolve(null);
  expect(await running).toEqual([1, 0, 0]);
  await again;
  expect(tried).toEqual(['one']);
});

test('a mail is stopped once its message may be another server’s, and the log says if it was sent anyway', async () => {
  const { add, run, store, whenMailed, lines } = await openOutbox({ timers: true });
  const { id } = await add('taken over');
  whenMailed(async (_, signal) => {
    await store.claim(START + 2 * MINUTE, MINUTE);
    await pass(50 * SECOND);
    expect(signal.aborted).toBe(true);
  });
  expect(await run(0)).toEqual([1, 0, 0]);
  expect(lines).toMatchObject([{ level: 40, id, attempt: 1, isOurs: false }]);
});

test('a process that was frozen between claim and mail until the lease was over does not send it', async () => {
  const { add, run, whenMailed } = await openOutbox();
  await add('one');
  vi.mocked(claim).mockImplementationOnce(async (...args) => {
    const claimed = await usual.claim(...args);
    vi.advanceTimersByTime(121 * SECOND);
    return claimed;
  });
  whenMailed(async (_, signal) => signal.throwIfAborted());
  expect(await run(0)).toEqual([0, 1, 0]);
});

test('MAIL_PER_HOUR holds, and half of it is kept for new clients', async () => {
  const { add, run, tried } = await openOutbox({ mailPerHour: 4 });
  for (let index = 1; index < 6; index += 1) await add(`flood ${index}`, index, index);
  expect(await run(9)).toEqual([2, 0, 0]);
  for (const [index, text] of ['new', 'newer', 'newest'].entries()) await add(text, 10 + index);
  expect(await run(12)).toEqual([2, 0, 0]);
  expect(tried).toEqual(['flood 1', 'flood 2', 'new', 'newer']);
  expect(await run(20 * MINUTE)).toEqual([0, 0, 0]);
  expect(await run(HOUR + 12)).toEqual([2, 0, 0]);
  expect(tried.slice(4)).toEqual(['newest', 'flood 3']);
  // Half of one is none, or nobody's second message would ever be mailed.
  const least = await openOutbox({ mailPerHour: 1 });
  await least.add('second', 0, 1);
  expect(await least.run(0)).toEqual([1, 0, 0]);
});

async function openWithMailServer() {
  const mail = await untilEnd(startSmtpServer());
  const settings = readSettings({ SMTP_URL: mail.url, CONTACT_EMAIL: 'owner@example.com' });
  const mailer = openMailer(settings);
  const parts = await openOutbox();
  parts.whenMailed((message, signal) =>
    sendWholeOrPlain(mailer, (refusal) => composeNotification(message, SAID, settings, { refusal }), signal),
  );
  return { ...parts, mail };
}

test('mails that a server leaves unanswered for 15 minutes, and ones that always fail, hold up no others', async () => {
  const { add, run, mail, said, messages } = await openWithMailServer();
  const limits: { ms: number; end: () => void }[] = [];
  vi.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => {
    const controller = new AbortController();
    limits.push({ ms, end: () => controller.abort() });
    return controller.signal;
  });
  await mail.goDown();
  await add('good 0');
  expect(await run(0)).toEqual([0, 1, 0]);
  await mail.comeBack();
  mail.failAt('content', 451, 'poison');
  for (let index = 0; index < 6; index += 1) await add(`poison ${index}`, index);
  await add('good 1', 10);
  expect(await run(MINUTE)).toEqual([2, 6, 0]);
  mail.hangAtContent('hangs');
  for (let index = 0; index < 4; index += 1) await add(`${index} hangs`, index);
  for (let index = 2; index < 32; index += 1) await add(`good ${index}`, MINUTE + index);
  const running = run(MINUTE + SECOND);
  await expect.poll(() => said().filter((text) => text === '30 mail sent')).toHaveLength(32);
  expect(mail.received.every((one) => textOf(one).startsWith('good'))).toBe(true);
  expect(mail.holding()).toBe(4);
  for (const { ms, end } of limits) {
    expect(ms).toBe(15 * MINUTE);
    end();
  }
  expect(await running).toEqual([30, 4, 0]);
  const unsure = (await messages()).filter(({ last_error }) => last_error === 'unsure EABORT');
  expect(unsure.map(({ state }) => state)).toEqual(Array(4).fill('waiting'));
});

test('a run begins no mail once its time is up', async () => {
  const { add, run, whenMailed } = await openOutbox();
  for (let index = 0; index < 9; index += 1) await add(`${index}`);
  expect(await run(0, 0)).toEqual([0, 0, 0]);
  whenMailed(async () => void vi.advanceTimersByTime(10));
  const [sent] = await run(SECOND, 20);
  expect(sent).toBeLessThan(9);
});

test('the running outbox mails what is there, and looks again when something is due, within a minute', async () => {
  const { add, outbox, tried, whenMailed } = await openOutbox({ timers: true });
  await add('one');
  whenMailed(unreachable);
  outbox.wake();
  await pass(MINUTE);
  expect(tried).toEqual([]);
  outbox.start();
  await pass(10 * SECOND - 1);
  expect(tried).toEqual(['one']);
  whenMailed(taken);
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

test('what is stored while the outbox looks is mailed at once', async () => {
  const { add, outbox, tried } = await openOutbox({ timers: true });
  vi.mocked(nextDueAt).mockImplementationOnce(async (database) => {
    const before = await usual.nextDueAt(database);
    await add('one');
    outbox.wake();
    return before;
  });
  outbox.start();
  await pass(SECOND);
  expect(tried).toEqual(['one']);
  await outbox.stop();
});

test('at its start one mail finds out whether the mail server is back, and no other is tried for nothing', async () => {
  const { add, database, another, whenMailed, tried } = await openOutbox({ timers: true });
  for (let index = 0; index < 4; index += 1) await add(`${index}`);
  const refused = { next_attempt_at: START + HOUR, last_error: 'setup smtp-535' };
  await database.db.updateTable('contact_message').set(refused).execute();
  whenMailed(wrongPassword);
  // With settings that may have been corrected.
  for (const triedSoFar of [1, 5]) {
    const started = another();
    started.start();
    await pass(0);
    await started.stop();
    expect(tried).toHaveLength(triedSoFar);
    whenMailed(taken);
  }
});

test('a queue that can’t be read is tried again after five seconds', async () => {
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

test('a mail that can’t be marked as sent goes out again once the claim ends', async () => {
  const { add, run, said, tried } = await openOutbox();
  vi.mocked(markSent).mockImplementationOnce(noRoom);
  await add('one');
  expect(await run(0)).toEqual([0, 0, 0]);
  expect(said()).toEqual(['50 the outbox cannot mark a message']);
  expect(await run(2 * MINUTE)).toEqual([1, 0, 0]);
  expect(tried).toEqual(['one', 'one']);
});
