import { describe, expect, test } from 'vitest';
import { ENGINES, openTestDesk } from '../../tests/support/desk/desk-process.ts';
import { START } from '../../tests/support/service/open-test-service.ts';

/** Tries to clear the screen, change colours, rename the window, and reverse the text that follows. */
const CONTROL = /\p{Cc}|[\u202a-\u202e\u2066-\u2069]/u;
const HOSTILE = 'a\u001b[2J\u001b[31mb\u009b31mc\u001b]0;owned\u0007d\u202ee\u2066f\rg';

describe.each(ENGINES)('on %s', (engine) => {
  test('all messages are listed, newest first', async () => {
    const { database, add, run } = await openTestDesk(engine);
    const list = async (...args: string[]) => {
      const { code, out, err } = await run(['list', ...args]);
      expect({ code, err }).toEqual({ code: 0, err: '' });
      return (JSON.parse(out) as { id: string }[]).map(({ id }) => id);
    };
    expect(await list()).toEqual([]);
    const first = await add({ answered_at: START });
    const spam = await add({ state: 'spam' });
    const more = Array.from({ length: 1_200 }, (_, index) => ({
      ...first,
      id: `01a1fb9c-0001-7000-8000-${String(index).padStart(12, '0')}`,
      message_id: `<${index}@example.com>`,
    }));
    for (let start = 0; start < more.length; start += 400)
      await database.db
        .insertInto('contact_message')
        .values(more.slice(start, start + 400))
        .execute();
    expect(await list('--json')).toEqual([first, spam, ...more].map(({ id }) => id).toReversed());
  });

  test('no text of a visitor reaches the terminal as a control sequence', async () => {
    const { add, run } = await openTestDesk(engine);
    // The form refuses such text, but imported data may contain it.
    await add({ name: HOSTILE, email: 'a\u001b[31m@example.org', message: `${HOSTILE}\nx` });
    for (const args of [['list'], ['export', '--json']]) {
      const { out } = await run(args);
      expect(out).toContain('owned');
      expect(out.replaceAll('\n', ''), args.join(' ')).not.toMatch(CONTROL);
    }
    const [shown] = JSON.parse((await run(['list'])).out);
    expect(shown.name, 'JSON keeps every character').toBe(HOSTILE);
  });
});
