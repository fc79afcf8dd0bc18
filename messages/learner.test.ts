import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { START, temporaryFolder } from '../tests/open-test-service.ts';
import { newPostgresDatabase } from '../tests/postgres.ts';
import { eraseMessages } from './erase.ts';
import { createLearner } from './learner.ts';
import { openDatabase } from './open.ts';
import { markSpam, notSpam, setAnswered } from './states.ts';
import { createStore } from './store.ts';

const MINUTE = 60_000;

test.each(['sqlite', 'postgres'] as const)(
  'on %s, it learns from what the owner calls spam, calls none and answers, and unlearns what is erased',
  async (engine) => {
    const folder = temporaryFolder();
    const database = await openDatabase(
      engine === 'sqlite'
        ? { engine, file: join(folder, 'contact.db') }
        : { engine, url: await newPostgresDatabase() },
    );
    onTestFinished(() => database.close());
    const store = createStore(database, { mailDomain: 'example.com' });
    const learned = createLearner(database);
    const from = (email: string, message: string, trap = false) =>
      store.add({ name: 'Ana', email, message }, { now: START, heldFor: trap ? ['trap'] : [] });
    const offer = { name: 'Bo', message: 'magnets for wholesale buyers' };
    for (const number of [1, 2, 3, 4, 5]) {
      const offered = await from('bo@example.org', `${offer.message} ${number}`);
      await markSpam(database, offered.id, START);
      const asked = await from('ana@example.org', `our installers lose pallets ${number}`, number < 3);
      if (number < 3) await notSpam(database, asked.id, START);
      else await setAnswered(database, asked.id, START);
      // Nobody judged these.
      await from('cy@example.org', `magnets ${number}`);
      await from('cy@example.org', `pallets ${number}`, true);
    }
    const held = (number: number) => learned(offer, START + number * MINUTE);
    expect(await held(0)).toBeGreaterThan(1);
    expect(await learned({ name: 'Di', message: 'pallets, installers' }, START)).toBeLessThan(-0.5);

    const erased = await eraseMessages(
      database,
      { email: 'bo@example.org' },
      { mailDir: folder, now: START },
    );
    expect(erased.messages).toBe(5);
    // For a minute it knows what it knew, by a clock that may go back.
    expect(await learned(offer, START + MINUTE - 1)).toBeGreaterThan(1);
    expect(await learned(offer, START - MINUTE + 1)).toBeGreaterThan(1);
    expect(await held(1)).toBe(0);
  },
);
