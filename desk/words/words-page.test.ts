import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openDoor } from '../../tests/support/desk/open-door.ts';
import { temporaryFolder } from '../../tests/support/service/open-test-service.ts';

test('of an error that nobody foresaw, she reads a sentence and the log has no word of hers', async () => {
  const WORDS_DIR = join(temporaryFolder(), 'words');
  const { signedIn, lines } = await openDoor({ WORDS_DIR });
  const her = await signedIn();
  mkdirSync(WORDS_DIR);
  writeFileSync(join(WORDS_DIR, 'draft.json'), '{"entries": ["secret"]}');
  const { status, body } = await her.ask('/desk/words/draft/state');
  expect([status, JSON.parse(body)]).toEqual([500, { error: expect.stringContaining('log says more') }]);
  expect(lines.join('')).toMatch(/TypeError/);
  expect(lines.join('')).not.toContain('secret');
});
