import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openDoor } from '../../tests/support/desk/open-door.ts';
import { temporaryFolder } from '../../tests/support/service/open-test-service.ts';

test('hours and words that are saved at the same moment are both kept', async () => {
  const { signedIn } = await openDoor({ WORDS_DIR: join(temporaryFolder(), 'words') });
  const her = await signedIn();
  const { body } = await her.ask('/desk/settings');
  const [, token = ''] = /name="token" value="([^"]+)"/.exec(body) ?? [];
  const was = (/name="was" value="([^"]*)"/.exec(body)?.[1] ?? '').replaceAll('&quot;', '"');
  const json = { 'content-type': 'application/json', 'x-desk-token': token };
  type Field = { key: string; kind: string; value: unknown };
  const read = async (): Promise<Field[]> =>
    JSON.parse((await her.ask('/desk/words/draft/state')).body).fields;
  const typed = (await read())
    .filter(({ kind, value }) => kind === 'text' && /^[\w, ]{9,40}\.?$/.test(String(value)))
    .slice(0, 20)
    .map(({ key, value }) => ({ key, was: value, value: `${value}!` }));
  const answers = await Promise.all([
    her.ask('/desk/settings', { form: { token, was, replyHours: '36' } }),
    ...typed.map((one) => her.ask('/desk/words/draft/save', { headers: json, body: JSON.stringify(one) })),
  ]);
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([303, 200]));
  const now = new Map((await read()).map(({ key, value }) => [key, value]));
  for (const { key, value } of typed) expect([key, now.get(key)]).toEqual([key, value]);
  expect(now.get('replyHours')).toBe(36);
});
