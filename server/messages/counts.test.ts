import { expect, test } from 'vitest';
import { DAY, HOUR } from '../../contract/time.ts';
import { openWith } from '../../tests/support/database/message-rows.ts';
import { START } from '../../tests/support/service/open-test-service.ts';
import { countUnanswered, countUnsent, failingSince } from './queries.ts';

test('what nobody was mailed is counted by its state', async () => {
  const database = await openWith([
    { state: 'set_aside', received_at: START - HOUR },
    { state: 'waiting', received_at: START + 2 },
    { state: 'waiting', received_at: START + 1 },
    { state: 'spam', received_at: START - DAY },
    { state: 'sent', received_at: START - DAY },
  ]);
  expect(await countUnsent(database)).toEqual({ waiting: 2, set_aside: 1, spam: 1 });
  expect(await countUnsent(await openWith([]))).toEqual({ waiting: 0, set_aside: 0, spam: 0 });
});

test('whoever waits for an answer is counted, and is late from the promised hour on', async () => {
  const database = await openWith([
    { received_at: START - DAY },
    { received_at: START - DAY + 1 },
    { received_at: START - 2 * DAY, answered_at: START },
    { received_at: START - 2 * DAY, state: 'spam' },
  ]);
  expect(await countUnanswered(database, START)).toEqual({
    unanswered: 2,
    late: 1,
    oldestAnswerDueAt: START,
    replyHours: 24,
  });
  expect(await countUnanswered(await openWith([]), START)).toEqual({
    unanswered: 0,
    late: 0,
    oldestAnswerDueAt: undefined,
    replyHours: 24,
  });
});

test('mails fail since the first failure of the oldest, unless a clock that was ahead wrote it', async () => {
  const database = await openWith([
    { last_error: 'retry smtp-451', first_failure_at: START - 2 },
    { last_error: 'setup smtp-535', received_at: START - 3 },
    { last_error: 'retry smtp-450', first_failure_at: START + 1 },
    { last_error: 'unreachable ETIMEDOUT', first_failure_at: START + DAY + 1 },
    { last_error: null, received_at: START - HOUR },
    { last_error: 'refused smtp-550', state: 'set_aside', received_at: START - HOUR },
  ]);
  expect(await failingSince(database, START, START + DAY)).toEqual({
    count: 3,
    oldestAt: START - 3,
    fault: 'setup smtp-535',
  });
  expect(await failingSince(database, START - 2)).toMatchObject({ count: 2 });
  expect(await failingSince(database, START - 4)).toEqual({
    count: 0,
    oldestAt: 0,
    fault: null,
  });
});
