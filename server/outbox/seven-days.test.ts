import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { DAY, HOUR } from '../../contract/time.ts';
import { readSettings } from '../../settings/settings.ts';
import { openFile } from '../../tests/support/database/new-database.ts';
import { createStore } from '../../tests/support/database/open-store.ts';
import { MESSAGE, START, stopClocks } from '../../tests/support/service.ts';
import { createLog } from '../log.ts';
import { FINAL_DOT } from '../mail/faults.ts';
import type { Mail, Mailer } from '../mail/transport.ts';
import { setTold } from '../messages/owner.ts';
import { openService } from '../service.ts';

/** What the mail server says while it takes nothing. */
const FAULTS = {
  down: { code: 'ECONNECTION', command: 'CONN' },
  full: { responseCode: 552, command: 'RCPT TO', response: '552 5.2.2 Mailbox full' },
  unknown: { responseCode: 550, command: 'RCPT TO', response: '550 5.1.1 No such user' },
  login: { code: 'EAUTH', responseCode: 535, command: 'AUTH PLAIN' },
  busy: { responseCode: 451, command: 'RCPT TO', response: '451 Try again later' },
};
/** And to a message's words, while it takes others. */
const WORDS = {
  refused: { responseCode: 554, command: 'DATA', response: '554 5.7.1 Spam' },
  putOff: { responseCode: 451, command: 'DATA', response: '451 4.7.1 Try again later' },
  closed: { responseCode: 421, command: 'DATA', response: '421 4.7.0 Suspicious' },
  full: { responseCode: 552, command: 'DATA', response: '552 5.2.0 Spam' },
  cut: { code: 'ECONNECTION', command: FINAL_DOT },
  fine: undefined,
};
const keysOf = <T extends object>(of: T) => fc.constantFrom(...(Object.keys(of) as (keyof T)[]));

const half = (days: number) => fc.nat({ max: days * 24 });
const aMessage = fc.record({
  at: half(4),
  words: keysOf(WORDS),
  held: fc.boolean(),
  replyHours: fc.constantFrom(24, 168, 336),
  openedAfter: fc.option(half(7), { freq: 8 }),
});
/** Mostly, a server takes mails for some hours, and then none for days. */
const aWindow = fc.record({ open: fc.integer({ min: 1, max: 6 }), shut: fc.nat(70), fault: keysOf(FAULTS) });
const aJump = fc.record({
  at: half(11),
  steps: fc.integer({ min: 1, max: 48 }),
  hours: fc.integer({ min: -20, max: 20 }),
});
const week = fc.record({
  messages: fc.array(aMessage, { minLength: 2, maxLength: 8 }),
  windows: fc.array(aWindow, { minLength: 1, maxLength: 8 }),
  restarts: fc.array(half(11), { maxLength: 4 }),
  jumps: fc.array(aJump, { maxLength: 3 }),
});
type Week = Parameters<Parameters<typeof week.map>[0]>[0];

/** Lives a week, hour by hour on the true clock, while a server looks each minute. Asks on a message's seventh day. */
async function live({ messages, windows, restarts, jumps }: Week) {
  const database = await openFile();
  database.sqlite.pragma('synchronous = OFF');
  const store = createStore(database);
  const settings = readSettings({ CONTACT_EMAIL: 'owner@example.com', TIME_ZONE: 'America/Toronto' });
  const states = windows.flatMap(({ open, shut, fault }) =>
    Array.from({ length: open + shut }, (_, hour) => (hour < open ? undefined : fault)),
  );
  vi.setSystemTime(START - HOUR);
  let step = 0;
  const taken: { step: number; mail: Mail }[] = [];
  const mailer: Mailer = async (mail) => {
    const state = states[step % states.length];
    const [, words = 'fine'] = /words-(\w+)/.exec(mail.text) ?? [];
    const error = state ? FAULTS[state] : WORDS[words as keyof typeof WORDS];
    if (error) throw Object.assign(new Error('no'), error);
    taken.push({ step, mail });
  };
  const log = createLog('silent');
  const start = () => openService(settings, { database, mailer, log, startOutbox: false });
  let server = await start();
  const stored: { id: string; step: number; reported: boolean }[] = [];
  for (; step <= 11 * 24; step += 1) {
    vi.advanceTimersByTime(HOUR);
    const jump = jumps.find(({ at, steps }) => step >= at && step < at + steps);
    const now = START + step * HOUR + (jump?.hours ?? 0) * HOUR;
    vi.setSystemTime(now);
    if (restarts.includes(step)) server = await start();
    for (const [index, { at, words, held, replyHours }] of messages.entries()) {
      if (at !== step) continue;
      const message = `words-${words} of number ${index}.`;
      const heldFor = held ? (['trap'] as const) : [];
      const { id } = await store.add({ ...MESSAGE, message }, { now, heldFor, replyHours });
      stored[index] = { id, step, reported: false };
    }
    // Whatever one of them finds working, the other tries within a minute.
    for (let minute = 0; minute < 2; minute += 1) {
      await server.outbox.runDue();
      await server.schedule.check(now);
    }
    await server.outbox.runDue();
    const rows = await database.db.selectFrom('contact_message').select(['id', 'listed_at']).execute();
    const listed = rows.filter(({ listed_at }) => listed_at === now).map(({ id }) => id);
    const mails = taken.filter((each) => each.step === step).map(({ mail }) => mail);
    const daily = mails.find(({ messageId }) => messageId.includes('daily-'));
    const isCounted = daily?.subject === `On your desk: ${daily?.text.split('\n')[0]}`;
    for (const [index, one] of stored.entries()) {
      if (!one) continue;
      const isNamed = isCounted || daily?.text.includes(`number ${index}.`);
      const isTold = mails.some(({ messageId }) => messageId.includes(one.id));
      const { openedAfter } = messages[index] ?? {};
      if (openedAfter === step - one.step) await setTold(database, 'opened', [one.id], now);
      if (isTold || (daily && isNamed && listed.includes(one.id)) || openedAfter === step - one.step)
        one.reported = true;
      if ((step - one.step) * HOUR !== 7 * DAY || one.reported) continue;
      // By the third day, a daily mail should have named any message that's held, given up or still not mailed.
      const lastTaken = taken.at(-1)?.step ?? Number.NEGATIVE_INFINITY;
      expect((lastTaken - one.step) * HOUR, `number ${index} was not told of`).toBeLessThan(2 * DAY);
    }
  }
}

test('by its seventh day, she was told about each message, if mails were taken', { retry: 0 }, async () => {
  stopClocks('Date', 'performance');
  await fc.assert(fc.asyncProperty(week, live), { numRuns: 8 });
});
