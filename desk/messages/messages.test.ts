import { utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { HOUR } from '../../contract/time.ts';
import { readSettings } from '../../settings/settings.ts';
import { openTestDesk } from '../../tests/support/desk/desk-process.ts';
import { openDoor } from '../../tests/support/desk/open-door.ts';
import { START } from '../../tests/support/service.ts';
import { whenCame } from '../sheet/frame.ts';

async function openMessages() {
  const desk = await openTestDesk('sqlite');
  const { signedIn } = await openDoor({ DATABASE_URL: desk.url, MAIL_DIR: desk.folder });
  const her = await signedIn();
  return {
    ...desk,
    read: (path = '') => her.ask(`/desk/messages${path}`),
    prefetch: () => her.ask('/desk/messages', { headers: { 'sec-purpose': 'prefetch;prerender' } }),
    plant: (name: string, value: string) => her.cookies.set(name, encodeURIComponent(value)),
    post: (path: string, fields?: Record<string, string>) => her.send(`/desk/messages${path}`, fields),
    row: async (id: string) => (await desk.rows()).find((row) => row.id === id),
  };
}

test('a mail that only became a file isn’t called mailed', async () => {
  const { add, read, folder } = await openMessages();
  const sent = { state: 'sent', attempts: 1 } as const;
  const [{ id: filed }, { id: mailed }] = [await add(sent), await add(sent)];
  const { id: again } = await add({ ...sent, sent_at: START + HOUR });
  const { id: soon } = await add({ ...sent, attempts: 2 });
  for (const id of [filed, again, soon]) {
    const file = join(folder, `2026-11-21T12-00-00-000Z-${id}.eml`);
    await writeFile(file, '');
    await utimes(file, START / 1000, START / 1000);
  }
  // The mail server was removed in between.
  await writeFile(join(folder, `2026-11-22T08-00-00-000Z-reminder-${mailed}.eml`), '');
  for (const id of [mailed, again, soon]) expect((await read(`/${id}`)).body).toContain('Mailed to you');
  const { body } = await read(`/${filed}`);
  expect(body).toContain('Saved as a mail file');
  expect(body).not.toContain('Mailed to you');
});

test('what was ticked on the page is named apart from what was typed, as in its mail', async () => {
  const { add, read } = await openMessages();
  vi.stubEnv('SENTENCES', JSON.stringify({ spots: 'Retyping\nPicked / packed: wrong' }));
  const { id } = await add({
    message: 'About: Both: Retyping / One of us: Picked / packed: wrong\nOur counts.',
  });
  const { body } = await read(`/${id}`);
  const shown = body.replace(/<[^>]+>/g, '|').replace(/[|\s]*\|[|\s]*/g, '|');
  expect(shown).toContain('|About|Both:|1|Retyping|One of us:|2|Picked / packed: wrong|Our counts.|');
});

test('each action is one POST, leads back to the message, and says what was done, if anything was', async () => {
  const { add, post, read, row, plant } = await openMessages();
  const { id } = await add({ answered_at: null });
  for (const [deed, change, words] of [
    ['answered', { answered_at: expect.closeTo(Date.now(), -5) }, 'Marked as answered.'],
    ['not-answered', { answered_at: null }, 'No longer marked as answered.'],
    ['spam', { state: 'spam' }, 'Marked as spam.'],
    ['not-spam', { state: 'sent' }, 'No longer marked as spam.'],
    ['send-again', { state: 'waiting', sent_at: null }, 'It’s queued'],
  ] as const) {
    const { status, location } = await post(`/${id}/${deed}`);
    expect({ status, location }).toEqual({ status: 303, location: `/desk/messages/${id}` });
    expect(await row(id)).toMatchObject(change);
    expect((await read(`/${id}`)).body).toContain(`role="status">${words}`);
    expect((await read(`/${id}`)).body, 'reloaded').not.toContain('role="status"');
  }
  expect((await read(`/${id}`)).body, 'it was mailed before').not.toContain('Not mailed');
  await post(`/${id}/not-answered`);
  expect((await read(`/${id}`)).body, 'nothing changed').not.toContain('role="status"');
  plant('__Secure-desk-said', 'Call this number.');
  expect((await read(`/${id}`)).body, 'of another site of the domain').not.toContain('role="status"');
  expect((await post(`/${id}/constructor`)).status).toBe(404);
});

test('all messages from a person are erased, however the address is written, but no others, and none that came meanwhile', async () => {
  const { add, post, read, rows } = await openMessages();
  const { id } = await add({ email: 'Bo@example.org', state: 'set_aside' });
  await add({ email: 'bo@EXAMPLE.org', state: 'waiting', attempts: 0 });
  await add({ email: 'jimbo@example.org' });
  const { body } = await read('/erase?email=bO@example.org');
  expect(body).toContain('Erase 2 messages from <bdi>Ana Souza</bdi> for good?');
  await add({ email: 'bo@example.org' });
  const [, seen = ''] = /name="seen" value="([^"]+)"/.exec(body) ?? [];
  const erased = await post('/erase?email=bO@example.org', { seen });
  expect(erased).toMatchObject({ status: 303, location: '/desk/messages/erase?email=bO%40example.org' });
  const left = (await read('/erase?email=bO@example.org')).body;
  for (const words of ['Erased 2 messages.', 'Erase 1 message from']) expect(left).toContain(words);
  expect((await rows()).map(({ email }) => email)).toEqual(['jimbo@example.org', 'bo@example.org']);
  const nobody = 'No message from no@example.org is stored.';
  expect((await read('/erase?email=no@example.org')).body).toContain(nobody);
  for (let index = 0; index < 60; index += 1) await add({ email: 'bo@example.org' });
  for (const [much, goOn] of [
    ['50 messages', true],
    ['11 messages', false],
  ] as const) {
    const { body: next } = await read('/erase?email=bo@example.org');
    expect(next).toContain(`Erase ${much}`);
    expect(next.includes('There are more')).toBe(goOn);
    await post('/erase?email=bo@example.org', { seen: /name="seen" value="([^"]+)"/.exec(next)?.[1] ?? '' });
  }
  expect((await rows()).map(({ email }) => email)).toEqual(['jimbo@example.org']);
  const gone = { status: 404, body: expect.stringContaining('This message isn’t here any more.') };
  expect(await read(`/${id}`)).toMatchObject(gone);
});

test('the link in a mail asks whether it’s answered, and changes nothing by itself', async () => {
  const { add, read, post, row } = await openMessages();
  const { id } = await add({ answered_at: null });
  const { body } = await read(`/${id}/answered`);
  expect(body).toMatch(/button-main"?>Mark as answered/);
  expect(body).toContain(`action="/desk/messages/${id}/answered"`);
  expect(body).toMatch(/name="token" value="[\w-]+"/);
  expect((await row(id))?.answered_at).toBeNull();
  await post(`/${id}/answered`);
  expect((await read(`/${id}/answered`)).body).not.toContain('Mark as answered');
});

test('her page counts by the hours that the page promised when a message came', async () => {
  const { add, read } = await openMessages();
  for (const [hours, reply_hours] of [
    [1, 4],
    [5, 4],
    [5, 6],
  ] as const)
    await add({ received_at: Date.now() - hours * HOUR, reply_hours, answered_at: null });
  const { body } = await read();
  expect(body).toContain('3 messages are waiting for your answer, 1 of them for longer than you promised.');
  expect(body, 'a quarter of the time is gone').toMatch(/M1 6h23\.[5-9]\d*"/);
});

test('whoever has waited too long comes first, however many have waited longer', async () => {
  const { add, read } = await openMessages();
  const waiting = { answered_at: null, reply_hours: 336 };
  for (let index = 0; index < 51; index += 1) await add({ ...waiting, received_at: Date.now() - 9 * HOUR });
  await add({ answered_at: null, reply_hours: 4, received_at: Date.now() - 5 * HOUR, name: 'Late' });
  expect((await read()).body).toMatch(/opened these yet<\/h2>[\s\S]*?>Late<[\s\S]*?<h2>To answer/);
});

test('what a visitor typed is text, wherever it appears', async () => {
  const { add, read } = await openMessages();
  const typed = '<script>alert(1)</script>"\'&';
  const email = `a'b&c"<i>@example.org`;
  const { id } = await add({ name: typed, message: `${typed}\u202E`, email, answered_at: null });
  const searched = `?text=${encodeURIComponent(typed)}`;
  const erased = `/erase?email=${encodeURIComponent(email)}`;
  for (const path of ['', `/${id}`, `/${id}/answered`, erased, searched]) {
    const { body, status } = await read(path);
    expect({ path, status }).toEqual({ path, status: 200 });
    expect(body).not.toMatch(/<script|<i>|\u202E|value=""\w/);
    expect(body).toContain('&lt;script&gt;');
  }
});

test('a message counts as opened once a page shows its words, its own or a list', async () => {
  const { add, read, prefetch, row } = await openMessages();
  const [listed, unopened, own] = [
    await add({ received_at: Date.now(), opened_at: 5, answered_at: null }),
    await add({ received_at: Date.now(), answered_at: null }),
    await add({ received_at: 1, answered_at: 1 }),
  ];
  expect((await prefetch()).status, 'she may never go there').toBe(503);
  expect((await row(unopened.id))?.opened_at).toBeNull();
  await read('?view=unanswered');
  expect((await row(listed.id))?.opened_at, 'the first time stays').toBe(5);
  expect((await row(unopened.id))?.opened_at).toBeGreaterThan(Date.now() - 60_000);
  expect((await row(own.id))?.opened_at, 'it was not on that page').toBeNull();
  await read(`/${own.id}`);
  expect((await row(own.id))?.opened_at).toBeGreaterThan(Date.now() - 60_000);
});

test('what no mail brings her comes first until she has opened it, whatever she looks for', async () => {
  const { add, read } = await openMessages();
  const state = { received_at: Date.now(), message: 'Set aside.', answered_at: null };
  await add({ ...state, state: 'set_aside', last_error: 'refused smtp-554' });
  await add({ ...state, message: 'Held.', state: 'spam', held_for: 'trap' });
  await add({ ...state, message: 'Judged.', state: 'spam', judged_at: 5 });
  const shown = async () => (await read('?view=answered')).body.match(/(Set aside|Held|Judged)\./g);
  expect([await shown(), await shown()]).toEqual([['Set aside.', 'Held.'], null]);
  for (const view of ['answered', 'spam', '']) {
    await add({ ...state, message: 'Stock.', state: 'spam', held_for: 'trap' });
    const { body } = await read(view ? `?view=${view}` : '?text=stock');
    expect(body.includes('No messages here'), view).toBe(view === 'answered');
    if (!view)
      expect(body.split('<h2>Found</h2>')[1]?.match(/Stock\./g), 'all that is found').toHaveLength(3);
  }
});

test('overdue messages that were never opened come before those she has opened', async () => {
  const { add, read } = await openMessages();
  const words = { answered_at: null, received_at: Date.now() - 30 * HOUR };
  await add({ ...words, message: 'Opened.', opened_at: 5, received_at: words.received_at - HOUR });
  await add({ ...words, message: 'Missed.' });
  await add({ ...words, message: 'In time.', received_at: Date.now() });
  const shown = async () => (await read()).body.match(/(Opened|Missed|In time)\.|opened these/g);
  expect(await shown()).toEqual(['opened these', 'Missed.', 'Opened.', 'In time.']);
  expect(await shown()).toEqual(['Opened.', 'Missed.', 'In time.']);
});

test('yesterday is a calendar day, even after a night when the clock skips an hour', () => {
  const settings = readSettings({ TIME_ZONE: 'America/Toronto' });
  const frame = { settings, now: Date.parse('2027-03-15T04:30Z'), token: '' };
  const words = ['2027-03-15T04:10Z', '2027-03-14T18:05Z', '2027-03-13T19:05Z'].map((time) =>
    whenCame(Date.parse(time), frame),
  );
  expect(words).toEqual(['today, 00:10', 'yesterday, 14:05', expect.stringContaining('Mar 13')]);
  // A page has a hundred and fifty of these, and each format takes a third of a millisecond to make.
  const made = vi.spyOn(Intl, 'DateTimeFormat');
  whenCame(Date.parse('2027-03-13T20:05Z'), frame);
  expect(made).not.toHaveBeenCalled();
});
