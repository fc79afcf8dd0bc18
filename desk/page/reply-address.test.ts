import { expect, test } from 'vitest';
import { toMessage } from '../../server/messages/message.ts';
import { rowAt } from '../../tests/support/database/message-rows.ts';
import { replyAddress } from './reply-address.ts';

/** Reads the address as a mail program would. */
function draftOf(change: Parameters<typeof rowAt>[1], siteUrl?: string) {
  const message = toMessage(rowAt(1, change), 24);
  const address = replyAddress(message, { siteUrl, timeZone: 'America/Toronto' }) ?? '';
  const { pathname, search } = new URL(address);
  const fields = search
    .slice(1)
    .split('&')
    .map((pair) => pair.split('=').map(decodeURIComponent));
  return { address, to: decodeURIComponent(pathname), fields };
}

test('a draft quotes the message, and has the page’s name in its subject', () => {
  const received_at = Date.UTC(2026, 10, 21, 11);
  const { to, fields } = draftOf(
    { name: 'Zoë & Co', message: 'One\n\nTwo?', received_at },
    'https://www.example.com',
  );
  expect(to).toBe('ana@example.org');
  expect(fields).toEqual([
    ['subject', 'Re: Your message on www.example.com'],
    [
      'body',
      'Hi Zoë & Co,\r\n\r\n\r\n\r\nOn Sat, Nov 21, 2026, 6:00 a.m., Zoë & Co wrote:\r\n> One\r\n> \r\n> Two?',
    ],
  ]);
});

test('what a visitor typed can’t add a recipient or a field, and a long quote is cut between characters', () => {
  const message = '👩🏽‍🔧&to=x@example.org '.repeat(400);
  const { address, to, fields } = draftOf({
    name: 'Eve&bcc=all@example.org?cc=x',
    email: "o'hara+a&b=c?d@example.org",
    message,
  });
  expect(address.length).toBeLessThanOrEqual(1_900);
  expect(address.length).toBeGreaterThan(1_800);
  expect(to).toBe("o'hara+a&b=c?d@example.org");
  expect(fields.map(([name]) => name)).toEqual(['subject', 'body']);
  const [, quote = ''] = /> (.*) \[…\]$/.exec(fields[1]?.[1] ?? '') ?? [];
  expect(message.startsWith(quote)).toBe(true);
  expect(fields[1]?.[1]).not.toContain('\uFFFD');
});

test('a name of the longest kind doesn’t make the link longer than Windows takes', () => {
  const { address, fields } = draftOf({ name: '👩🏽‍🔧'.repeat(50), message: 'Hello' });
  expect(address.length).toBeLessThanOrEqual(1_900);
  expect(fields[1]?.[1]).toMatch(/^Hi 👩🏽‍🔧/u);
});
