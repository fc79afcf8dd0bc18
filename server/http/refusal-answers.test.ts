import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { FUNCTION_NAME, FUNCTIONS_PATH } from '../../contract/contact-message.ts';
import { USUAL_REPLY_HOURS } from '../../contract/promise.ts';
import { SENTENCES_FILE } from '../../contract/refusal-sentences.ts';
import { sentences } from '../../site/machine-readable/sentences.ts';
import {
  call,
  formPost,
  MESSAGE,
  openTestService,
  temporaryFolder,
} from '../../tests/support/service/open-test-service.ts';
import { ENGLISH, readSentences } from './refusal-answers.ts';
import { loadStaticFiles } from './static-files.ts';

const FRENCH = {
  language: 'fr-CA',
  labels: { name: 'Nom', email: 'Adresse courriel' },
  fields: {
    email: { invalid: 'Entrez une adresse comme nom@exemple.ca.' },
    message: { tooLong: 'Votre message peut avoir au plus {max} caractères.' },
  },
  unknownFunction: 'Il n’y a pas de formulaire à cette adresse.',
  tooLarge: 'Votre message est trop long.',
  goBack: 'Le bouton Précédent y ramène.',
  page: { heading: 'Votre message n’a pas été envoyé', again: 'Renvoyer' },
};

/** The service over a site that was built with these sentences. */
async function speaking(sentences: string) {
  const folder = join(temporaryFolder(), 'dist');
  mkdirSync(folder);
  writeFileSync(join(folder, 'index.html'), '<h1>Accueil</h1>');
  writeFileSync(join(folder, SENTENCES_FILE), sentences);
  const pages = loadStaticFiles(folder);
  const { app, database } = await openTestService({}, { pages });
  const said = async (response: Response) => ((await response.json()) as { error: string }).error;
  return { app, said, replyHours: database.replyHours() };
}

test('visitors are refused in the language of the built page, with and without JavaScript', async () => {
  const { app, said } = await speaking(JSON.stringify(FRENCH));
  expect(await said(await app.request(...call({ ...MESSAGE, email: 'nobody' })))).toBe(
    FRENCH.fields.email.invalid,
  );
  const tooLong = await app.request(...call({ ...MESSAGE, message: 'x'.repeat(10_001) }));
  expect((await said(tooLong)).replace(/\s/gu, ' ')).toBe(
    'Votre message peut avoir au plus 10 000 caractères.',
  );
  expect(await said(await app.request(`${FUNCTIONS_PATH}/other-${FUNCTION_NAME}`))).toBe(
    FRENCH.unknownFunction,
  );
  const page = await (await app.request(...formPost({ ...MESSAGE, message: 'x'.repeat(200_000) }))).text();
  expect(page).toContain('<html lang="fr-CA">');
  expect(page).toContain(`<h1>${FRENCH.page.heading}</h1>`);
  expect(page).toContain(`<p role="alert">${FRENCH.tooLarge} ${FRENCH.goBack}</p>`);
  expect(page).toContain('<label for="email">Adresse courriel</label>');
  expect(page).toContain(`<button>${FRENCH.page.again}</button>`);
});

test('the page that came with the project says what the function says without one', () => {
  expect({ ...readSentences(JSON.stringify(sentences)), language: 'en' }).toEqual(ENGLISH);
});

test('the built page says within how many hours it promises an answer', async () => {
  const hours = async (replyHours: unknown) =>
    (await speaking(JSON.stringify({ ...FRENCH, replyHours }))).replyHours;
  expect([await hours(48), await hours('soon')]).toEqual([48, USUAL_REPLY_HOURS]);
});

test('what the page of another version does not say is said in English, and nothing else is', async () => {
  const { app, said } = await speaking(
    JSON.stringify({ ...FRENCH, badJson: 7, unforeseen: null, evil: 'x' }),
  );
  expect(await said(await app.request(...call('{')))).toBe(ENGLISH.badJson);
  expect(readSentences('{"evil":"x"}')).toEqual(ENGLISH);
});

test.each(['', '[', '7', 'null', '"text"', '{"fields":[]}'])(
  'sentences that cannot be read leave the English ones: %s',
  (broken) => {
    expect(readSentences(broken)).toEqual(ENGLISH);
  },
);
