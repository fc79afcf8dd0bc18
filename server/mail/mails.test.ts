import PostalMime from 'postal-mime';
import { expect, test } from 'vitest';
import { topicLine } from '../../contract/topics.ts';
import { readTokens } from '../../publish/tokens.ts';
import { readSettings } from '../../settings/settings.ts';
import { rowAt } from '../../tests/support/database/message-rows.ts';
import { linksOf, MESSAGE, SAID, START } from '../../tests/support/service.ts';
import type { Message } from '../messages/table.ts';
import { composeDaily, composeNotification } from './mails.ts';
import { PALETTE } from './sheet.ts';
import { compose } from './transport.ts';

const SETTINGS = readSettings({
  CONTACT_EMAIL: 'owner@example.com',
  MAIL_FROM: 'Website <web@example.com>',
  SITE_URL: 'https://www.example.com',
  TIME_ZONE: 'America/Toronto',
  DESK: 'off',
});

const notification = (change: Partial<Message> = {}) => composeNotification(rowAt(0, change), SAID, SETTINGS);

function draftOf(link: string) {
  const [, to = '', query = ''] = /^mailto:([^?]*)\?(.*)$/.exec(link) ?? [];
  const fields = query.split('&').map((pair) => pair.split('=').map(decodeURIComponent));
  return { to: decodeURIComponent(to), names: fields.map(([name]) => name), ...Object.fromEntries(fields) };
}

test('the owner reads who wrote what and when, in both forms, and nothing that’s only for her', async () => {
  const name = '山田 👩🏽‍🔧';
  const { from, replyTo, subject, text, html } = await PostalMime.parse(
    await compose(notification({ name })),
  );
  expect(from).toEqual({ name: `${name} (website)`, address: 'web@example.com' });
  expect(replyTo).toEqual([{ name, address: MESSAGE.email }]);
  expect(subject).toBe(`New message from ${name} (${MESSAGE.email})`);
  for (const part of [text, html]) {
    for (const words of [name, MESSAGE.email, MESSAGE.message, 'www.example.com'])
      expect(part).toContain(words);
    expect(part).toContain('Saturday, November 21, 2026 at 07:00 EST');
    expect(part).not.toMatch(/npm|desk|01a1fb9c/);
  }
});

test('the owner reads by when she answers first, and what was ticked with its number on the plan, told apart if two people ticked', () => {
  const topics = ['Level 1: Foundation', 'Both: Bin: A / B; Errors / One of us: Retyping'];
  const { text, html } = notification({ message: topicLine(SAID.topics, topics) + MESSAGE.message });
  expect(text).toMatch(/^Reply by Sun 07:00 EST\n\n/);
  const about = ['Level 1: Foundation', 'Both:', '2 Bin: A / B', '4 Errors', 'One of us:', '1 Retyping'];
  expect(text).toContain(`\n\nAbout:\n${about.join('\n')}\n\n${MESSAGE.message}\n`);
  expect(html).toMatch(
    />Reply by Sun 07:00 EST<.*>About<.*>Level 1: Foundation<.*>Both:<.*>2<.*>Bin: A \/ B<.*>4<.*>Errors</s,
  );
  const one = notification({ message: `About: Retyping; Lost; The Blueprint\n${MESSAGE.message}` });
  expect(one.text, 'each on a line of its own').toContain('About:\n1 Retyping\nLost\nThe Blueprint\n\n');
});

test('each mail ends, below its signature line, with the way to the desk, if it can be reached from elsewhere', () => {
  const message = rowAt(0);
  const composed = (change: object) => {
    const settings = { ...SETTINGS, desk: true, ...change };
    const kinds = [{}, { remindedAt: 1 }, { refusal: 'refused smtp-554' }];
    return kinds.map((kind) => composeNotification(message, SAID, settings, kind));
  };
  const path = `https://www.example.com/desk/messages/${message.id}`;
  for (const { text, html } of composed({})) {
    const [, below = ''] = text.split('\n-- \n');
    expect(below).toContain(`\nMark as answered: ${path}/answered\n`);
    expect(below).toMatch(new RegExp(`^Open: ${path}$`, 'm'));
    expect(linksOf(html)).toEqual(expect.arrayContaining([path, `${path}/answered`]));
  }
  const nowhere = [
    { siteUrl: undefined },
    { siteUrl: 'http://localhost:8080' },
    // A static host has the address then.
    { supabaseUrl: 'https://abcdefgh.supabase.co' },
  ];
  for (const change of nowhere) for (const { text } of composed(change)) expect(text).not.toContain('/desk/');
});

test('without a desk, the daily mail sends nobody there', () => {
  const listed = {
    ids: ['1'],
    first: [rowAt(0)],
    counts: { waiting: 0, sent: 0, set_aside: 0, spam: 1 },
  };
  const { subject, text, html } = composeDaily(listed, SAID, START, { ...SETTINGS, desk: false });
  expect(subject + text + html).not.toMatch(/desk|press/i);
});

test('“Answer” begins a draft to the visitor that quotes the message, in both forms', () => {
  const { text, html } = notification({ message: 'One\n\nTwo?' });
  const shown = /^Answer Ana Souza: (mailto:\S+)$/m.exec(text)?.[1] ?? '';
  expect(html).toContain('>Answer Ana Souza</a>');
  for (const link of [shown, ...linksOf(html)])
    expect(draftOf(link)).toMatchObject({
      to: MESSAGE.email,
      names: ['subject', 'body'],
      subject: 'Re: Your message on www.example.com',
      body: expect.stringMatching(
        /^Hi Ana Souza,\r\n.*07:00 EST, Ana Souza wrote:\r\n> One\r\n> \r\n> Two\?$/s,
      ),
    });
  const french = composeNotification(rowAt(0), { ...SAID, language: 'fr-CA' }, SETTINGS);
  const [link = ''] = linksOf(french.html);
  expect(draftOf(link)).toMatchObject({
    subject: 'Re: www.example.com',
    body: expect.stringMatching(/^Ana Souza,\r\n\r\n\r\n\r\n> /),
  });
});

test('what a visitor typed adds no recipient to the draft, and a long quote is cut between characters', () => {
  const message = '👩🏽‍🔧&to=x@example.org '.repeat(400);
  const email = "o'hara+a&b=c@example.org";
  const { html } = notification({ name: 'Eve&bcc=all@example.org?cc=x', email, message });
  const [link = ''] = linksOf(html);
  expect(link.length).toBeLessThanOrEqual(1_900);
  const { to, names, body } = draftOf(link);
  expect([to, names]).toEqual([email, ['subject', 'body']]);
  const [, quote = ''] = /> (.*) \[…\]$/s.exec(body) ?? [];
  expect(quote.length).toBeGreaterThan(100);
  expect(message.startsWith(quote)).toBe(true);
});

test('a stored address that the form would not have taken is shown and not linked', () => {
  for (const email of ['ana@example.org?bcc=other@example.com', 'a@b,c@d', 'javascript:alert(1)', '']) {
    const { html, text } = notification({ email });
    expect(linksOf(html)).toEqual([]);
    expect(text).not.toContain('mailto:');
    expect(html).toContain(email);
  }
});

test('what a visitor typed is text in the HTML part too, and never a link, and nothing is fetched', () => {
  const message = '<script>alert(1)</script> <a href="https://evil.example">x</a> & \'"';
  const { html } = notification({ message, name: '<b>Ana</b>' });
  expect(html).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
  expect(html).toContain('&lt;b&gt;Ana&lt;/b&gt;');
  expect(linksOf(html).filter((link) => !link.startsWith('mailto:ana@example.org?'))).toEqual([]);
  expect(html).not.toMatch(
    /\s(src|srcset|background|on\w+)=|url\(|@import|<(img|script|link|iframe|svg|form)\b/i,
  );
});

test('the preview line in an inbox is the beginning of the message', () => {
  const { html } = notification({ message: `One\n\n<b>two</b> ${'👩🏽‍🔧'.repeat(200)}` });
  const [, preheader = ''] = /<body.*?<div style="display:none[^>]*>(.*?)&#847;/s.exec(html) ?? [];
  expect(preheader).toBe(`One &lt;b&gt;two&lt;/b&gt; ${'👩🏽‍🔧'.repeat(125)}…`);
});

test.each(['&'.repeat(10_000), "'\n".repeat(5_000), 'a\n\n'.repeat(3_333), '👩'.repeat(10_000)])(
  'a message of full length stays below what Gmail shows whole (%#)',
  (message) => {
    const { html } = notification({ message, name: '"'.repeat(200) });
    expect(Buffer.byteLength(html)).toBeLessThan(102_000);
  },
);

test('the mail has the colours of the page, in both themes', async () => {
  const tokens = readTokens();
  for (const [name, [light, dark]] of Object.entries(PALETTE))
    expect([tokens.light[`--${name}`], tokens.dark[`--${name}`]], name).toEqual([light, dark]);
});
