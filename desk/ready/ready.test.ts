import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { noteDelivered } from '../../server/messages/claims.ts';
import { deliveredWith } from '../../server/messages/last-done.ts';
import { setAnswered } from '../../server/messages/owner.ts';
import { readSettings } from '../../settings/settings.ts';
import { openTestDesk } from '../../tests/support/desk/desk-process.ts';
import { openDoor } from '../../tests/support/desk/open-door.ts';
import { START } from '../../tests/support/service.ts';
import { stepsToReady } from './routes.ts';

test('a fact completes each step, and a look at it never does', async () => {
  const { database, folder: WORDS_DIR, add } = await openTestDesk('sqlite');
  const left = async (settings: Record<string, string> = {}) => {
    const steps = await stepsToReady(readSettings({ WORDS_DIR, ...settings }), database);
    return steps.flatMap(({ isDone, what }) => (isDone ? [] : [what]));
  };
  const all = await left();
  expect(all).toEqual([
    'Your name and your words',
    'Your photo',
    'Mail to you',
    'An address with https',
    'Privacy and terms',
    'Your first message, answered',
  ]);
  expect(await left({ VITE_SUPABASE_URL: 'https://abcdefgh.supabase.co' })).not.toContain('Mail to you');
  const mail = { SMTP_URL: 'smtps://ana:hunter2@smtp.example.com', CONTACT_EMAIL: 'ana@blueprint.ca' };
  expect(await left(mail), 'no mail was taken yet').toEqual(all);
  await noteDelivered(database, deliveredWith(readSettings(mail)), START);
  const { id } = await add({ answered_at: null });
  await setAnswered(database, id, START);
  writeFileSync(join(WORDS_DIR, 'founder.jpg'), '');
  expect(await left({ ...mail, SITE_URL: 'https://www.blueprint.ca' })).toEqual([
    'Your name and your words',
    'Privacy and terms',
  ]);
  expect(await left({ ...mail, SITE_URL: 'http://www.blueprint.ca' })).toContain('An address with https');
});

test('the first page says how many wait for an answer', async () => {
  const { add, url } = await openTestDesk('sqlite');
  const her = await (await openDoor({ DATABASE_URL: url })).signedIn();
  const waiting = async () =>
    /[\w,]+ messages? waiting for your answer/.exec((await her.ask('/desk')).body)?.[0];
  expect(await waiting()).toBeUndefined();
  await add();
  expect(await waiting()).toBe('1 message waiting for your answer');
});
