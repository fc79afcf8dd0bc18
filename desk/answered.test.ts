import { describe, expect, test } from 'vitest';
import { ENGINES, openTestDesk } from '../tests/support/desk/desk-process.ts';
import { START } from '../tests/support/service/open-test-service.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

describe.each(ENGINES)('on %s', (engine) => {
  test('an answer is noted once, whatever became of the mail, and can be taken back', async () => {
    const { add, run, runJson, rows } = await openTestDesk(engine);
    const aside = await add({ state: 'set_aside', received_at: START - 3 * HOUR });
    await add({ state: 'spam' });
    const noted = await run(['answered', aside.id.slice(-8)]);
    expect(noted).toEqual({
      code: 0,
      out: 'The message of Ana Souza is answered, 3 h after it came.\n',
      err: '',
    });
    const [first] = await rows();
    expect(first).toMatchObject({ ...aside, answered_at: expect.closeTo(START, -5) });
    const again = await run(['answered', aside.id], { env: { TEST_CLOCK_SHIFT: '99999999999' } });
    expect(again).toMatchObject({
      code: 0,
      out: 'The message of Ana Souza was answered already (Sat, Nov 21, 2026, 7:00 a.m.).\n',
    });
    expect((await rows())[0]).toEqual(first);
    const answeredAt = new Date(first?.answered_at ?? 0).toISOString();
    expect(await runJson(['answered', aside.id])).toEqual({ id: aside.id, answeredAt });
    expect(await runJson(['show', aside.id])).toMatchObject({ answeredAt, answerDueAt: null });
    expect((await run(['show', aside.id])).out).toMatch(
      /^Answer {4}answered on Sat, Nov 21, 2026, 7:00 a.m., 3 h after it came$/m,
    );

    expect(await run(['answered', aside.id, '--undo'])).toMatchObject({
      code: 0,
      out: 'The message of Ana Souza is no longer marked as answered. It waits for your answer: 20 h left.\n',
    });
    expect((await rows())[0]).toMatchObject(aside);
    expect((await run(['show', aside.id])).out).toMatch(
      /^Answer {4}20 h left\. Once you’ve answered: npm run desk answered 00000001$/m,
    );
    expect((await run(['answered', '00000002', '--undo'])).out).toBe(
      'The message of Ana Souza is not marked as answered.\n',
    );
  });

  test('who waits is counted by the hours that the page promises', async () => {
    const { add, run } = await openTestDesk(engine);
    await add({ received_at: START - 30 * HOUR });
    const env = { SENTENCES: JSON.stringify({ replyHours: 36 }) };
    expect((await run(['list', '--unanswered'], { env })).out).toMatch(/^00000001 .* 5 h left /m);
    await add({ received_at: START - 37 * HOUR });
    expect((await run(['list'], { env })).out).toMatch(/1 of them for over 36 hours\. The oldest: 1 h over/);
  });

  test('who waits is listed with the longest wait first; neither spam nor what was answered is', async () => {
    const { add, run, runJson } = await openTestDesk(engine);
    expect((await run(['list', '--unanswered'])).out).toBe('Nobody waits for your answer.\n');
    await add({ name: 'Late', received_at: START - 2 * DAY });
    await add({ name: 'Answered', received_at: START - 2 * DAY, answered_at: START });
    await add({ name: 'From before anybody kept track', received_at: START - 9 * DAY, answered_at: 0 });
    await add({ name: 'Bot', state: 'spam' });
    await add({ name: 'Refused', state: 'set_aside', received_at: START - HOUR });
    expect((await run(['list', '--unanswered'])).out).toBe(
      [
        '2 messages wait for your answer, 1 of them for over 24 hours.',
        '',
        'ID        AGE     STATE          ANSWER     FROM     MESSAGE',
        '00000001  2 days  mailed to you  24 h over  Late     Our stock is never where it should be.',
        '00000005  1 h     not mailed     22 h left  Refused  Our stock is never where it should be.',
        '',
      ].join('\n'),
    );
    expect(await runJson(['list', '--unanswered', '--text', 'late'])).toMatchObject([{ name: 'Late' }]);
    expect((await run(['list', '--unanswered', '--limit', '1'])).out).toContain(
      'Newer messages are left out',
    );
    expect((await run(['show', '00000003'])).out).not.toContain('Answer ');
  });
});
