import { expect, test } from 'vitest';
import { readTokens } from '../../publish/tokens.ts';
import { readSettings } from '../../settings/settings.ts';
import { claimed, linksOf } from '../../tests/support/service/open-test-service.ts';
import type { Message } from '../messages/message.ts';
import { PALETTE } from './layout.ts';
import { composeNotification, composeReminder } from './notification.ts';

const OWNER = { MAIL_FROM: 'Website <web@example.com>', SITE_URL: 'https://www.example.com' };

test('a stored address that the form would not have taken is shown and not linked', () => {
  const settings = readSettings(OWNER);
  for (const email of ['ana@example.org?bcc=other@example.com', 'a@b,c@d', 'javascript:alert(1)', '']) {
    const { html } = composeNotification(claimed({ email }), settings);
    expect(linksOf(html)).toEqual([]);
    expect(html).toContain(email);
  }
});

test('an address that looks like an encoded word does not become one in the subject', () => {
  const email = '=?utf-8?q?Paid=0D=0ABcc=3A?=@example.org';
  expect(composeNotification(claimed({ email }), readSettings(OWNER)).subject).not.toContain('=?');
});

test('all that one visitor writes stands together, under whatever spelling of the address', () => {
  const settings = readSettings(OWNER);
  const compose = (change: Partial<Message>) => composeNotification(claimed(change), settings);
  const first = compose({});
  expect(first.references).toMatch(/^<visitor-[0-9a-f]{24}@example\.com>$/);
  expect(compose({ email: 'Ana@Example.org', message: 'More' }).references).toBe(first.references);
  expect(compose({ message: 'More', messageId: '<2@example.com>' }).subject).toBe(first.subject);
  const namesake = compose({ email: 'another@example.org' });
  expect(namesake.references).not.toBe(first.references);
  expect(namesake.subject).not.toBe(first.subject);
});

test('the line that a list of mails shows is the beginning of the message', () => {
  const { html } = composeNotification(
    claimed({ message: `One\n\n<b>two</b> ${'👩🏽‍🔧'.repeat(200)}` }),
    readSettings(OWNER),
  );
  const [, preheader = ''] = /<body.*?<div style="display:none[^>]*>(.*?)&#847;/s.exec(html) ?? [];
  expect(preheader).toBe(`One &lt;b&gt;two&lt;/b&gt; ${'👩🏽‍🔧'.repeat(125)}…`);
});

test.each(['&'.repeat(10_000), "'\n".repeat(5_000), 'a\n\n'.repeat(3_333), '👩'.repeat(10_000)])(
  'a message of full length stays below what Gmail shows whole (%#)',
  (message) => {
    const { html } = composeNotification(claimed({ message, name: '"'.repeat(200) }), readSettings(OWNER));
    expect(Buffer.byteLength(html)).toBeLessThan(102_000);
  },
);

test('nothing in the mail is fetched from anywhere, and it has no script', () => {
  const { html } = composeNotification(claimed(), readSettings(OWNER));
  expect(html).not.toMatch(
    /\s(src|srcset|background|on\w+)=|url\(|@import|<(img|script|link|iframe|svg|form)\b/i,
  );
});

test('the mail has the colours of the page, in both themes', async () => {
  const tokens = await readTokens();
  for (const theme of ['light', 'dark'] as const) {
    for (const [name, colour] of Object.entries(PALETTE[theme]))
      expect(tokens[theme][`--${name}`], `--${name}, ${theme}`).toBe(colour);
  }
});

test('a mail says so where an answer may not arrive, and a reminder says it too', () => {
  const settings = readSettings(OWNER);
  const doubtful = claimed({ email: 'dana@gmial.con' });
  for (const { text, html } of [
    composeNotification(doubtful, settings),
    composeReminder(doubtful, { at: 0, replyHours: 24 }, settings),
  ])
    for (const part of [text, html])
      expect(part).toContain('may not arrive: the address ends in gmial.con, and perhaps gmail.com');
  const { text } = composeNotification(claimed({ email: 'ana@gmail.com' }), settings);
  expect(text).not.toContain('may not arrive');
});
