import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { HOUR } from '../../contract/time.ts';
import { openDatabase } from '../../server/messages/open.ts';
import { setAnswered } from '../../server/messages/owner.ts';
import { createStore } from '../../server/messages/store.ts';
import { newPostgresDatabase } from '../../tests/support/database/test-postgres.ts';
import { linesOf } from '../../tests/support/desk/run-check.ts';
import { MESSAGE, START, temporaryFolder } from '../../tests/support/service/open-test-service.ts';
import { answers } from './answers.ts';

test.each(['sqlite', 'postgres'] as const)(
  'on %s, whoever waits longer than the page promises is worth a look, and nobody is named',
  async (engine) => {
    const file = join(temporaryFolder(), 'contact.db');
    const url = engine === 'sqlite' ? `file:${file}` : await newPostgresDatabase();
    const database = await openDatabase(engine === 'sqlite' ? { engine, file } : { engine, url });
    onTestFinished(() => database.close());
    const store = createStore(database, { mailDomain: 'example.com' });
    const at = (hours: number) => linesOf(answers, { DATABASE_URL: url }, { now: START + hours * HOUR });
    expect(await at(0)).toEqual(['answers ok: Nobody waits for your answer.']);
    const { id } = await store.add(MESSAGE, { now: START });
    await store.add({ ...MESSAGE, message: 'Buy' }, { now: START, heldFor: ['trap'] });
    expect(await at(5)).toEqual(['answers ok: 1 message waits for your answer: 19 h left.']);
    await store.add({ ...MESSAGE, message: 'Another' }, { now: START + HOUR });
    expect(await at(5)).toEqual(['answers ok: 2 messages wait for your answer. The oldest: 19 h left.']);
    expect(await at(24.5)).toEqual([
      'answers look: 2 messages wait for your answer, 1 of them for over 24 hours. The oldest: 30 min over.',
    ]);
    await setAnswered(database, id, START + 24 * HOUR);
    expect(await at(73)).toEqual(['answers look: 1 message waits for your answer: 2 days over.']);
  },
);
