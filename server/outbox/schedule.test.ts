import { join } from 'node:path';
import { Temporal } from 'temporal-polyfill';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { DatabaseSetting } from '../../settings/checks.ts';
import { newPostgresDatabase } from '../../tests/support/database/test-postgres.ts';
import { START, temporaryFolder } from '../../tests/support/service/open-test-service.ts';
import { createLog } from '../log.ts';
import { openDatabase } from '../messages/open.ts';
import { createSchedule, type Job, lastAt } from './schedule.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const at = (text: string) => Temporal.ZonedDateTime.from(text).epochMilliseconds;
test.each([
  ['2026-11-21T07:29:59', '07:30', '2026-11-20T07:30'],
  ['2026-11-21T07:30:00', '07:30', '2026-11-21T07:30'],
  // Clocks spring forward over this time, and fall back over it.
  ['2026-03-08T12:00', '02:30', '2026-03-08T03:30'],
  ['2026-03-08T01:00', '02:30', '2026-03-07T02:30'],
  ['2026-11-01T12:00', '01:30', '2026-11-01T01:30-04:00'],
] as const)('at %s the clock showed %s last at %s', (now, time, due) => {
  const toronto = (text: string) => at(`${text}[America/Toronto]`);
  expect(lastAt(toronto(now), Temporal.PlainTime.from(time), 'America/Toronto')).toBe(toronto(due));
});

describe.each(['sqlite', 'postgres'] as const)('on %s', (engine) => {
  async function newSetting(): Promise<DatabaseSetting> {
    if (engine === 'postgres') return { engine, url: await newPostgresDatabase() };
    return { engine, file: join(temporaryFolder(), 'contact.db') };
  }

  /** A server with one job due daily at noon, and the times it ran. */
  async function server(setting: DatabaseSetting, job: Partial<Job> = {}) {
    const database = await openDatabase(setting);
    onTestFinished(() => database.close());
    const lines: string[] = [];
    const log = createLog('info', { write: (line) => void lines.push(line) });
    const done: number[] = [];
    const schedule = createSchedule({
      database,
      log,
      jobs: [
        {
          what: 'job',
          dueAt: (now) => now - ((now - START) % DAY),
          run: async ({ now }) => void done.push(now),
          ...job,
        },
      ],
    });
    return { schedule, done, lines };
  }

  test('a job is done once each time that it is due, after a pause as well', async () => {
    const { schedule, done } = await server(await newSetting());
    const days = [0, 1, 1.5, 2, 10.25, 10.5];
    for (const day of days) await schedule.check(START + day * DAY);
    expect(done.map((time) => (time - START) / DAY)).toEqual([0, 1, 2, 10.25]);
  });

  test('several servers do a job once between them', async () => {
    const setting = await newSetting();
    const servers = [await server(setting), await server(setting), await server(setting)];
    for (const day of [0, 1, 2, 3])
      await Promise.all(servers.map(({ schedule }) => schedule.check(START + day * DAY)));
    expect(servers.flatMap(({ done }) => done).toSorted()).toEqual(
      [0, 1, 2, 3].map((day) => START + day * DAY),
    );
  });

  test('a job that fails is tried again after half an hour, and another one is not held up by it', async () => {
    let failing = true;
    const tried: number[] = [];
    const { schedule, lines } = await server(await newSetting(), {
      run: async ({ now }) => {
        tried.push((now - START) / MINUTE);
        if (failing) throw new Error('the words of a mail server');
      },
    });
    for (const minutes of [0, 0, 1, 29, 30, 31]) await schedule.check(START + minutes * MINUTE);
    failing = false;
    for (const minutes of [61, 92, 300]) await schedule.check(START + minutes * MINUTE);
    expect(tried).toEqual([0, 30, 61]);
    expect(lines.join('')).toMatch(
      /"job":"job","retrySeconds":1800,"msg":"a scheduled job failed; it is tried again/,
    );
    expect(lines.join('')).not.toContain('the words');
  });

  test('a job that failed while the clock was ahead is tried again as soon as the clock is right', async () => {
    const tried: number[] = [];
    const { schedule } = await server(await newSetting(), {
      run: async ({ now }) => {
        tried.push(now);
        throw new Error('not now');
      },
    });
    for (const now of [START + DAY, START]) await schedule.check(now);
    expect(tried).toEqual([START + DAY, START]);
  });

  test('a stop breaks the job off, and the next start does it', async () => {
    const setting = await newSetting();
    const started: AbortSignal[] = [];
    const first = await server(setting, {
      run: (_, signal) => {
        started.push(signal);
        return new Promise((_resolve, reject) =>
          signal.addEventListener('abort', () => reject(signal.reason)),
        );
      },
    });
    void first.schedule.check(START);
    await expect.poll(() => started).toHaveLength(1);
    await first.schedule.stop();
    await first.schedule.check(START + MINUTE);
    expect(started).toHaveLength(1);
    expect(first.lines).toEqual([]);
    const second = await server(setting);
    await second.schedule.check(START + MINUTE);
    expect(second.done).toEqual([START + MINUTE]);
  });

  test.each([-60, -1, 1, 4000])('a clock that was wrong by %d days stops no job', async (days) => {
    const { schedule, done } = await server(await newSetting());
    const times = [START, START + days * DAY, START + HOUR, START + DAY];
    for (const time of times) await schedule.check(time);
    expect(done).toEqual(times);
  });
});
