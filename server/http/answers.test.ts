import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { FUNCTION_NAME, FUNCTIONS_PATH } from '../../contract/contact-message.ts';
import { SENTENCES_FILE } from '../../contract/refusal-sentences.ts';
import { problems } from '../../site/content/problems.ts';
import { sentences } from '../../site/machine-readable/sentences.ts';
import { call, formPost, MESSAGE, openTestService } from '../../tests/support/service.ts';
import { servedSite } from '../../tests/support/site/served-site.ts';
import { ENGLISH, readSentences } from './answers.ts';

const FRENCH = {
  language: 'fr-CA',
  replyHours: 48,
  fields: {
    email: { invalid: 'Entrez une adresse comme nom@exemple.ca.' },
    message: { tooLong: 'Votre message peut avoir au plus {max} caractères.' },
  },
  tooLarge: 'Votre message est trop long.',
  goBack: 'Le bouton Précédent y ramène.',
  unknownFunction: 'Il n’y a pas de formulaire à cette adresse.',
  // As another version might have written it
  badJson: 7,
  unforeseen: null,
};

test('the published page says in which language visitors are refused (in English if it doesn’t), and within how many hours she answers', async () => {
  const { pages, folder } = servedSite({ 'index.html': 'Accueil', [SENTENCES_FILE]: JSON.stringify(FRENCH) });
  const { app, send, database } = await openTestService({}, { pages });
  const said = async (...request: Parameters<typeof app.request>) =>
    (await (await app.request(...request)).json()).error;
  expect(pages.sentences.replyHours).toBe(48);
  expect(await said(...call({ ...MESSAGE, email: 'nobody' }))).toBe(FRENCH.fields.email.invalid);
  const tooLong = await said(...call({ ...MESSAGE, message: 'x'.repeat(10_001) }));
  expect(tooLong.replace(/\s/gu, ' ')).toBe('Votre message peut avoir au plus 10 000 caractères.');
  expect(await said(`${FUNCTIONS_PATH}/other-${FUNCTION_NAME}`)).toBe(FRENCH.unknownFunction);
  expect(await said(...call('{'))).toBe(ENGLISH.badJson);
  const page = await (await app.request(...formPost({ ...MESSAGE, message: 'x'.repeat(200_000) }))).text();
  expect(page).toContain(`<p role="alert">${FRENCH.tooLarge} ${FRENCH.goBack}</p>`);
  await send('Under 48');
  writeFileSync(join(folder, SENTENCES_FILE), '{"replyHours":7}');
  pages.reload();
  await send('Under 7');
  expect([pages.sentences.replyHours, await said(...call({ ...MESSAGE, email: 'nobody' }))]).toEqual([
    7,
    ENGLISH.fields.email.invalid,
  ]);
  // Each message keeps what its visitor was promised.
  const promised = database.db.selectFrom('contact_message').select(['message', 'reply_hours']).orderBy('id');
  expect(await promised.execute()).toEqual([
    { message: 'Under 48', reply_hours: 48 },
    { message: 'Under 7', reply_hours: 7 },
  ]);
});

test('the page that came with the project says what the function says without one, and what its plan’s numbers mean', () => {
  const said = readSentences(JSON.stringify(sentences));
  expect({ ...said, language: 'en', spots: '' }).toEqual(ENGLISH);
  expect(said.spots.split('\n')).toEqual(problems.items.map(({ title }) => title));
});

test('sentences that cannot be read leave the English ones', () => {
  const broken = ['', '[', '7', 'null', '"text"', '{"fields":[]}', '{"evil":"x"}', '{"replyHours":"soon"}'];
  for (const json of broken) expect(readSentences(json), json).toEqual(ENGLISH);
});
