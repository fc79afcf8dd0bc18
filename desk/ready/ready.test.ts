import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { deliveredWith, noteDelivered } from '../../server/messages/last-done.ts';
import { setAnswered } from '../../server/messages/owner.ts';
import { readSettings } from '../../settings/settings.ts';
import { openTestDesk } from '../../tests/support/desk/desk-process.ts';
import { START } from '../../tests/support/service/open-test-service.ts';
import { stepsToReady } from './routes.ts';

test('each step is done by a fact, and never by having been looked at', async () => {
  const { database, folder, add } = await openTestDesk('sqlite');
  const env = { WORDS_DIR: folder };
  const left = async (settings: Record<string, string> = {}) => {
    const steps = await stepsToReady(readSettings({ ...env, ...settings }), database);
    return steps.filter(({ isDone }) => !isDone).map(({ what }) => what);
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
  const mail = { SMTP_URL: 'smtps://ana:hunter2@smtp.example.com', CONTACT_EMAIL: 'ana@blueprint.ca' };
  expect(await left(mail), 'no mail was taken yet').toEqual(all);
  await noteDelivered(database, deliveredWith(readSettings(mail)), START);
  const { id } = await add({ answered_at: null });
  await setAnswered(database, id, START);
  writeFileSync(join(folder, 'founder.jpg'), '');
  expect(await left({ ...mail, SITE_URL: 'https://www.blueprint.ca' })).toEqual([
    'Your name and your words',
    'Privacy and terms',
  ]);
  expect(await left({ ...mail, SITE_URL: 'http://www.blueprint.ca' })).toContain('An address with https');
});

test('words that can’t be read are the step to take, with their line', async () => {
  const { database, folder } = await openTestDesk('sqlite');
  writeFileSync(join(folder, 'words.json'), '{\n“hero”: 1}');
  const [first] = await stepsToReady(readSettings({ WORDS_DIR: folder }), database);
  expect(first).toMatchObject({ isDone: false, todo: expect.stringContaining('line 2') });
});
