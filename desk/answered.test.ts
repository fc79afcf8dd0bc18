import { expect, test } from 'vitest';
import { HOUR } from '../contract/time.ts';
import { ENGINES, openTestDesk } from '../tests/support/desk/desk-process.ts';
import { explainAnswer, noteAnswer } from './answered.ts';
import { findMessage } from './find-message.ts';

const timeZone = 'America/Toronto';

test.each(ENGINES)(
  'on %s, an answer is noted once, whatever became of the mail, and can be taken back',
  async (engine) => {
    const { add, database } = await openTestDesk(engine);
    const { id } = await add({ state: 'set_aside', received_at: Date.now() - 3.5 * HOUR });
    const spam = await add({ state: 'spam' });
    const message = await findMessage(database, id);
    expect(await noteAnswer(database, message, { timeZone })).toBe(
      'The message of Ana Souza is answered, 3 h after it came.',
    );
    const answered = await findMessage(database, id);
    expect(answered).toMatchObject({ answeredAt: expect.closeTo(Date.now(), -5), answerDueAt: null });
    expect(explainAnswer(answered, timeZone, Date.now())).toMatch(/^answered on .*, 3 h after it came$/);
    expect(await noteAnswer(database, message, { timeZone })).toMatch(/was answered already/);
    expect(await findMessage(database, id)).toEqual(answered);
    expect(await noteAnswer(database, message, { timeZone, undo: true })).toBe(
      'The message of Ana Souza is no longer marked as answered. It waits for your answer: 20 h left.',
    );
    expect(await findMessage(database, id)).toEqual(message);
    const held = await findMessage(database, spam.id);
    expect(await noteAnswer(database, held, { timeZone, undo: true })).toBe(
      'The message of Ana Souza is not marked as answered.',
    );
  },
);
