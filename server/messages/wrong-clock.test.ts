import { expect, test } from 'vitest';
import { DAY, HOUR, MINUTE } from '../../contract/time.ts';
import { ENGINES, newDatabase, openAt } from '../../tests/support/database/new-database.ts';
import { createStore } from '../../tests/support/database/open-store.ts';
import { startSmtpServer } from '../../tests/support/mail/smtp-server.ts';
import { untilEnd } from '../../tests/support/network/until-end.ts';
import { MESSAGE, openTestService, START, setTime } from '../../tests/support/service/open-test-service.ts';

/** What the machine's clock showed before it was corrected. */
const AHEAD = START + 365 * DAY;

test.each(ENGINES)(
  'what a clock that was ahead has put off is mailed within a minute on %s',
  async (engine) => {
    const mail = await untilEnd(startSmtpServer());
    const env = { SMTP_URL: mail.url, DATABASE_URL: await newDatabase(engine) };
    const { store, outbox, trouble } = await openTestService(env);
    setTime(AHEAD);
    await store.add({ ...MESSAGE, message: 'failed' }, { now: AHEAD });
    await mail.goDown();
    expect(await outbox.runDue()).toMatchObject({ failed: 1 });
    await store.add({ ...MESSAGE, message: 'in hand at a kill' }, { now: AHEAD });
    expect(await store.claim(AHEAD, 2 * MINUTE)).toBeDefined();
    await mail.comeBack();
    // Minute by minute, as the running server does it.
    for (const now of [START, START + MINUTE]) {
      setTime(now);
      await outbox.runDue();
      await trouble.check(now);
    }
    expect(mail.received).toHaveLength(2);
    expect(await store.counts()).toMatchObject({ waiting: 0 });
  },
);

test('on Postgres, the clock of the database says what is due, and until when a lease runs', async () => {
  const url = await newDatabase('postgres');
  const [fast, slow] = [createStore(await openAt(url)), createStore(await openAt(url))];
  const now = Date.now();
  // A clock an hour fast delays nothing; one a day slow finds what's due, and one a day fast doesn't claim it again.
  await fast.add(MESSAGE, { now: now + HOUR });
  setTime(now - DAY);
  expect(await slow.claim(undefined, MINUTE)).toMatchObject(MESSAGE);
  setTime(now + DAY);
  expect(await fast.claim(undefined, MINUTE)).toBeUndefined();
});
