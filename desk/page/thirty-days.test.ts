import { describe, expect, test } from 'vitest';
import { goBy } from '../../contract/promise.ts';
import { ENGINES, openTestDesk } from '../../tests/support/desk/desk-process.ts';
import { readFigures } from './thirty-days.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
goBy({ replyHours: 24 });

describe.each(ENGINES)('on %s', (engine) => {
  test('the figures have each of 30 days by the owner’s calendar, and judge nobody too early', async () => {
    const { add, database } = await openTestDesk(engine);
    // 04:30 UTC is the evening before in Toronto, summer or winter.
    const today = Math.floor(Date.now() / DAY) * DAY;
    const evening = today - 5 * DAY + 4.5 * HOUR;
    const answered = (ageDays: number, afterHours: number, seconds: number) => {
      const received_at = evening - ageDays * DAY;
      const answered_at = received_at + afterHours * HOUR;
      return add({ received_at, answered_at, sent_at: received_at + seconds * 1000 });
    };
    await answered(0, 3, 2);
    await answered(0, 24, 4);
    await answered(1, 25, 3_600);
    await answered(40, 1, 9);
    await add({ received_at: evening, state: 'waiting' });
    await add({ received_at: Date.now() - HOUR, state: 'set_aside' });
    await add({ received_at: evening, state: 'spam' });
    const { days, ...figures } = await readFigures(database, 'America/Toronto');
    expect(figures).toEqual({
      medianDeliveryMs: 4_000,
      medianAnswerMs: 24 * HOUR,
      before: 1,
      answersDue: 4,
      answeredInTime: 2,
      // Only a server has one to miss.
      backup: false,
    });
    expect(days).toHaveLength(30);
    const name = new Date(evening - DAY).toISOString().slice(0, 10);
    expect(days.find(({ day }) => day === name)).toEqual({ day: name, received: 4 });
    expect(days.reduce((sum, { received }) => sum + received, 0)).toBe(6);
  });
});
