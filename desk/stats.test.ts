import { describe, expect, test } from 'vitest';
import { ENGINES, openTestDesk } from '../tests/desk-process.ts';
import { START } from '../tests/open-test-service.ts';
import { sparkline } from './stats.ts';

const DAY = 24 * 3_600_000;

describe.each(ENGINES)('on %s', (engine) => {
  test('the figures count every state and tell how soon mails went out', async () => {
    const { add, run, runJson } = await openTestDesk(engine);
    expect((await run(['stats'])).out).toMatch(/^No messages yet\./);
    // 04:30 UTC is the evening before in Toronto.
    const evening = Date.UTC(2026, 10, 21, 4, 30);
    for (const [seconds, received_at] of [
      [1, START],
      [2, START - 40 * DAY],
      [4, evening],
      [3_600, evening],
    ] as const)
      await add({ received_at, sent_at: received_at + seconds * 1000 });
    await add({ state: 'waiting', received_at: START - 3 * DAY });
    await add({ state: 'waiting', received_at: START - DAY });
    await add({ state: 'set_aside' });
    await add({ state: 'spam', received_at: START - 29 * DAY });
    const figures = (await runJson(['stats'])) as { days: { day: string; received: number }[] };
    expect(figures).toMatchObject({
      received: 8,
      delivered: 4,
      waiting: 2,
      setAside: 1,
      spam: 1,
      oldestWaitingAt: new Date(START - 3 * DAY).toISOString(),
      medianDeliveryMs: 2_000,
      slowestDeliveryMs: 3_600_000,
    });
    expect(figures.days).toHaveLength(30);
    expect(figures.days.filter(({ received }) => received > 0)).toMatchObject([
      { day: '2026-10-23', received: 1 },
      { day: '2026-11-18', received: 1 },
      { day: '2026-11-20', received: 3 },
      { day: '2026-11-21', received: 2 },
    ]);
    const { out } = await run(['stats']);
    expect(out).toContain('2 waiting, the oldest for 3 days\n');
    expect(out).toContain('half within 2 s, the slowest took 1 h\n');
    expect(out).toContain('▃·························▃·█▆\n');
    expect(out).toMatch(/23 Oct {18}21 Nov\n/);
  });
});

test('a line of columns shows nothing as a dot, and little as something', () => {
  expect(sparkline([0, 1, 50, 100])).toBe('·▁▄█');
  expect(sparkline([1, 1])).toBe('██');
  expect(sparkline([0, 0])).toBe('··');
});
