import { PassThrough } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';
import { openLogs } from './log.ts';

test('on a terminal the log is lines to read, and still holds nothing personal', async () => {
  const terminal = Object.assign(new PassThrough(), { isTTY: true });
  const { log, access } = await openLogs('info', terminal);
  log.info({ id: '01a1' }, 'mail sent');
  log.warn({ name: 'Ana Souza', err: new Error('ana@example.org') }, 'mail not sent');
  access.info({ path: '/', status: 200 }, 'page answered');
  log.debug('not asked for');
  terminal.end();
  const text = stripVTControlCharacters((await terminal.toArray()).join(''));
  expect(text).toMatch(/^\[\d\d:\d\d:\d\d\] INFO: mail sent \{"id":"01a1"\}\n/);
  expect(text).toMatch(/WARN.*: mail not sent/);
  expect(text).toMatch(/\n\[\d\d:\d\d:\d\d\] INFO: page answered \{"path":"\/","status":200\}\n$/);
  expect(text).not.toMatch(/Ana|example\.org|not asked for/);
});
