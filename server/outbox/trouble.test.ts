import { expect, test } from 'vitest';
import { idOf, type MessageRow, openWith } from '../../tests/support/database/message-rows.ts';
import { START } from '../../tests/support/service/open-test-service.ts';
import { createLog } from '../log.ts';
import { createStore } from '../messages/store.ts';
import { StoreError } from '../messages/store-error.ts';
import { createTroubleWatch } from './trouble.ts';
import { openWebhook } from './webhook.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** What watches these rows, and what it logged since it was asked last. */
async function watch(
  rows: Partial<MessageRow>[],
  {
    checkRoom = async () => undefined,
    webhookUrl,
  }: { checkRoom?: () => Promise<void>; webhookUrl?: string } = {},
) {
  const database = await openWith(rows);
  const lines: { level: number; msg: string; [fact: string]: unknown }[] = [];
  const log = createLog('trace', { write: (line) => void lines.push(JSON.parse(line)) });
  const trouble = createTroubleWatch({
    store: { ...createStore(database, { mailDomain: 'example.com' }), checkRoom },
    database,
    log,
    webhook: openWebhook({ url: webhookUrl, secret: undefined, log }),
    mailPerHour: 2,
  });
  const told = () => lines.splice(0).map(({ level, msg }) => [level, msg]);
  const check = async (now: number) => {
    await trouble.check(now);
    return told();
  };
  const change = (place: number, row: Partial<MessageRow>) =>
    database.write(database.db.updateTable('contact_message').set(row).where('id', '=', idOf(place)));
  return { trouble, lines, told, check, change };
}

const END =
  ". All are kept in the database. `npm run desk doctor` says what's wrong and what to do; `npm run desk list` shows the messages.";
const failing = { last_error: 'retry smtp-451', first_failure_at: START - 20 * MINUTE };
const aside = { state: 'set_aside', last_error: 'refused smtp-550' } as const;

test('the log names each thing that is wrong, with its figures', async () => {
  const { trouble, lines } = await watch([
    failing,
    { ...failing, last_error: 'retry smtp-450', first_failure_at: START - 15 * MINUTE },
    { next_attempt_at: START - 17 * MINUTE },
    { state: 'sent', sent_at: START - 1 },
    aside,
    aside,
  ]);
  await trouble.check(START);
  const facts = [
    { failing: 2, minutes: 20, fault: 'retry smtp-451' },
    { held: 1, heldMinutes: 17, mailPerHour: 2 },
    { setAside: 2 },
  ];
  expect(lines).toMatchObject(facts.map((fact) => ({ level: 50, ...fact })));
  expect(lines.map(({ msg }) => msg)).toEqual(
    [
      '2 messages could not be mailed for 20 minutes: the mail server put it off (code 451)',
      '1 message waited for up to 17 minutes, because more came than MAIL_PER_HOUR (2) lets through',
      "2 messages set aside, because the mail server doesn't accept them",
    ].map((sentence) => `Contact form: ${sentence}${END}`),
  );
});

test('what a clock that ran ahead noted has lasted “some time”, and what waits for its turn is no trouble', async () => {
  const ahead = await watch([{ ...failing, first_failure_at: START + 15 * MINUTE + 1 }]);
  expect((await ahead.check(START)).join()).toContain('1 message could not be mailed for some time: ');
  const young = await watch([{ ...failing, first_failure_at: START - 15 * MINUTE + 1 }]);
  expect(await young.check(START)).toEqual([]);
  const quiet = await watch([
    { next_attempt_at: START - HOUR },
    { state: 'sent', sent_at: START - HOUR - 1 },
  ]);
  expect(await quiet.check(START)).toEqual([]);
  const soon = await watch([{ next_attempt_at: START - 15 * MINUTE + 1 }, { state: 'sent', sent_at: START }]);
  expect(await soon.check(START)).toEqual([]);
});

test('late mails are reported each hour, stuck ones each day, and another stuck one within the hour', async () => {
  const late = await watch([failing]);
  const times = async (check: (now: number) => Promise<unknown[]>, ...minutes: number[]) => {
    const told: number[] = [];
    for (const minute of minutes) if ((await check(START + minute * MINUTE)).length > 0) told.push(minute);
    return told;
  };
  expect(await times(late.check, 0, 1, 59, 60, 61, 119, 120)).toEqual([0, 60, 120]);
  const stuck = await watch([aside, { state: 'sent' }, { state: 'sent' }]);
  expect(await times(stuck.check, 0, 60, 24 * 60 - 1, 24 * 60)).toEqual([0, 24 * 60]);
  await stuck.change(1, aside);
  expect(await times(stuck.check, 25 * 60, 25 * 60 + 1, 26 * 60)).toEqual([25 * 60]);
  await stuck.change(2, aside);
  expect(await times(stuck.check, 26 * 60 + 1, 27 * 60)).toEqual([26 * 60 + 1]);
  // The owner has seen to one, so the next is news again.
  await stuck.change(1, { state: 'sent' });
  expect(await times(stuck.check, 28 * 60)).toEqual([]);
  await stuck.change(1, aside);
  expect(await times(stuck.check, 29 * 60)).toEqual([29 * 60]);
});

test('a time without room is reported at once, each hour, and when it is over', async () => {
  let fault: unknown;
  const { trouble, lines, check, told } = await watch([], {
    async checkRoom() {
      if (fault) throw fault;
    },
  });
  const doctor = "`npm run desk doctor` says what's wrong and what to do.";
  const away = (words: string, visitors: string) =>
    `Contact form: VISITORS ARE TURNED AWAY, since their messages can't be saved: ${words}. ${visitors} asked to send theirs again later so far. ${doctor}`;
  fault = new Error('nobody asks');
  await trouble.confirmRoom(START);
  fault = undefined;
  expect(await check(START)).toEqual([]);
  await trouble.confirmRoom(START);
  fault = Object.assign(new Error('no'), { code: 'SQLITE_FULL' });
  // Nobody asks the database for room that nobody missed.
  await trouble.confirmRoom(START);
  expect(trouble.notStored(fault, START)).toBe(true);
  expect(trouble.notStored(fault, START)).toBe(false);
  await expect(trouble.confirmRoom(START)).rejects.toBe(fault);
  expect(told()).toEqual([]);
  await trouble.check(START);
  expect(lines).toMatchObject([{ turnedAway: 2 }]);
  expect(told()).toEqual([[50, away('the disk is full (SQLITE_FULL)', '2 visitors were')]]);
  fault = new Error('no');
  expect(await check(START + HOUR - 1)).toEqual([]);
  expect(trouble.notStored(fault, START + HOUR)).toBe(false);
  expect(await check(START + HOUR)).toEqual([[50, away('the database failed', '3 visitors were')]]);
  fault = undefined;
  expect(await check(START + HOUR + 44_999)).toEqual([]);
  const over = (time: string, visitors: string) =>
    `Contact form: messages are saved again. For ${time} they couldn't be, and ${visitors} asked to send theirs again later.`;
  expect(await check(START + HOUR + 45_000)).toEqual([[40, over('60 minutes', '3 visitors were')]]);
  await trouble.confirmRoom(START);
  expect(await check(START + 70 * MINUTE)).toEqual([]);

  // Another, within the hour.
  fault = new StoreError('The file is away. Move it back.');
  expect(trouble.notStored(fault, START + 90 * MINUTE)).toBe(true);
  expect(await check(START + 90 * MINUTE)).toEqual([
    [50, away('The file is away. Move it back', '1 visitor was')],
  ]);
  fault = undefined;
  expect(await check(START + 91 * MINUTE)).toEqual([[40, over('a minute', '1 visitor was')]]);
});
