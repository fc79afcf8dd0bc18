import { expect, onTestFinished, test } from 'vitest';
import { DAY, HOUR, MINUTE } from '../../contract/time.ts';
import { openStore } from '../../tests/support/database/open-store.ts';
import { newPostgresDatabase } from '../../tests/support/database/test-postgres.ts';
import { startSmtpServer } from '../../tests/support/mail/smtp-server.ts';
import { MESSAGE, openTestService, START, setTime } from '../../tests/support/service/open-test-service.ts';

/** What the machine's clock showed before it was corrected. */
const AHEAD = START + 365 * DAY;

const ENGINES = ['sqlite', 'postgres'] as const;
type Engine = (typeof ENGINES)[number];

/** A service whose clock was a year ahead while its mail server was down, and its messages. */
async function openAfterwards(engine: Engine) {
  const mail = await startSmtpServer();
  onTestFinished(() => mail.close());
  const location = engine === 'postgres' ? { DATABASE_URL: await newPostgresDatabase() } : {};
  const service = await openTestService({ SMTP_URL: mail.url, ...location });
  const { store, outbox } = service;
  const add = (message: string) => store.add({ ...MESSAGE, message }, { now: Date.now() });
  setTime(AHEAD);
  await add('failed');
  await mail.goDown();
  expect(await outbox.runDue()).toMatchObject({ failed: 1 });
  await add('in hand at a kill');
  expect(await store.claim(AHEAD, 2 * MINUTE)).toBeDefined();
  await mail.comeBack();
  setTime(START);
  /** Minute by minute, as the running server does it. */
  const pass = async (from: number, until: number) => {
    for (let now = from; now < until; now += MINUTE) {
      setTime(now);
      await outbox.runDue();
      await service.trouble.check(now);
    }
  };
  return { ...service, mail, pass };
}

test.each(ENGINES)(
  'what a clock that was ahead has put off is mailed within a minute on %s',
  async (engine) => {
    const { mail, pass, store } = await openAfterwards(engine);
    await pass(START, START + 2 * MINUTE);
    expect(mail.received).toHaveLength(2);
    expect(await store.counts()).toMatchObject({ waiting: 0 });
  },
);

test('on Postgres, the clock of the database says what is due, and until when a lease runs', async () => {
  const url = await newPostgresDatabase();
  const open = async () => {
    const opened = await openStore({ engine: 'postgres', url });
    onTestFinished(() => opened.close());
    return opened;
  };
  const [fast, slow] = [await open(), await open()];
  const now = Date.now();
  // A clock an hour fast delays nothing; one a day slow finds what's due, and one a day fast doesn't claim it again.
  await fast.add(MESSAGE, { now: now + HOUR });
  setTime(now - DAY);
  expect(await slow.claim(undefined, MINUTE)).toMatchObject(MESSAGE);
  setTime(now + DAY);
  expect(await fast.claim(undefined, MINUTE)).toBeUndefined();
});
