import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { afterEach, expect, test } from 'vitest';
import { openStore } from '../server/store.ts';
import { listMessages } from './messages.ts';

const folder = mkdtempSync(join(tmpdir(), 'desk-'));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test('messages are listed newest first with their state, while the server has the file open', async () => {
  const file = join(folder, 'contact.db');
  expect(listMessages(file)).toContain('No message yet');
  const store = await openStore(file, { mailDomain: 'example.com' });
  try {
    expect(listMessages(file)).toBe('No message yet.\n');
    await store.add({ name: 'Zoë', email: 'zoe@example.com', message: 'One\nTwo' }, { now: 1_000 });
    await store.add(
      { name: 'Bot', email: 'bot@example.com', message: 'Buy!' },
      { now: 2_000, suspectedSpam: true },
    );
    const text = stripVTControlCharacters(listMessages(file));
    expect(text.indexOf('Bot <bot@example.com>')).toBe(0);
    expect(text).toContain('suspected spam, not mailed');
    expect(text).toMatch(/Zoë <zoe@example\.com>\n.* · waiting to be mailed\n\n {2}One\n {2}Two\n$/);
  } finally {
    await store.close();
  }
});
