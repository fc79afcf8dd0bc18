import { expect, test } from 'vitest';
import { DAY } from '../../contract/time.ts';
import { idOf, openWith, rowAt } from '../../tests/support/database/message-rows.ts';
import { refuseInserts, START } from '../../tests/support/service/open-test-service.ts';
import type { SqliteDatabase } from './database.ts';
import { checkRoom } from './insert.ts';
import { markSpam, notSpam, requeue } from './owner.ts';
import { answerDueAt } from './table.ts';

/* What each change leaves in the rows, on SQLite alone: store.test.ts and owner.test.ts hold the promises on both. */

const rowsOf = ({ sqlite }: SqliteDatabase) =>
  sqlite.prepare('select * from contact_message order by id').all();

test('an answer is due within the promised hours, unless it was given, or nobody waits for one', () => {
  const dueAt = (change: Parameters<typeof rowAt>[1]) => answerDueAt(rowAt(0, change), 24);
  expect([{}, { answered_at: START + 1 }, { state: 'spam' } as const].map(dueAt)).toEqual([
    START + DAY,
    null,
    null,
  ]);
});

test('what is put back begins anew, and what the owner has judged is no longer held for its signs', async () => {
  const tried = { failures: 5, first_failure_at: START + 1, last_error: 'retry smtp-451' };
  const database = await openWith([
    { ...tried, state: 'set_aside', next_attempt_at: START + DAY },
    { ...tried, state: 'sent', sent_at: START + 2 },
    { ...tried, state: 'spam', held_for: 'trap' },
    { state: 'spam', held_for: 'trap' },
  ]);
  await requeue(database, idOf(0), START);
  await requeue(database, idOf(1), START);
  await notSpam(database, idOf(2), START + 9);
  await markSpam(database, idOf(3), START + 9);
  const anew = { failures: 0, first_failure_at: null, last_error: null, sent_at: null };
  const queued = { ...anew, state: 'waiting', next_attempt_at: 0 };
  const judged = { held_for: null, judged_at: START + 9 };
  expect(rowsOf(database)).toMatchObject([
    queued,
    queued,
    { ...queued, ...judged },
    { state: 'spam', ...judged },
  ]);
});

test('room is tried out with the longest message, which nobody sees and which does not stay', async () => {
  const database = await openWith([]);
  database.sqlite.exec(`create trigger seen after insert on contact_message
    begin insert into last_done (what, at) values (new.state || new.held_for || new.email, length(new.message)); end`);
  await checkRoom(database, START);
  expect(rowsOf(database)).toEqual([]);
  expect(database.sqlite.prepare('select * from last_done').all()).toEqual([
    { what: 'spamtrap', at: 44_000 },
  ]);
  database.sqlite.exec('drop trigger seen');
  await refuseInserts(database);
  await expect(checkRoom(database, START)).rejects.toThrow('full');
});
