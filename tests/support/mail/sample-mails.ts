import { ENGLISH } from '../../../server/http/answers.ts';
import { composeDaily, composeNotification } from '../../../server/mail/mails.ts';
import type { Mail } from '../../../server/mail/transport.ts';
import type { Message } from '../../../server/messages/table.ts';
import { readSettings } from '../../../settings/settings.ts';
import { problems } from '../../../site/content/problems.ts';

/** Each kind of mail to the owner, about what people write and what breaks a layout. */
export function sampleMails(): Record<string, Mail> {
  const settings = readSettings({ SITE_URL: 'https://www.example.com', TIME_ZONE: 'America/Toronto' });
  const said = { ...ENGLISH, spots: problems.items.map(({ title }) => title).join('\n') };
  const now = Date.UTC(2026, 10, 21, 12);
  const message = (name: string, email: string, text: string) =>
    ({
      name,
      email,
      message: text,
      id: '01a1fc24-7b5e-7429-abc4-659443c39f9d',
      message_id: '<01a1fc24@example.com>',
      received_at: now,
      reply_hours: 24,
      state: 'spam',
      last_error: null,
      held_for: 'fast copies',
    }) as Message;
  const messages = {
    letter: message(
      'Ana Souza',
      'ana@example.org',
      'About: The Optimization Blueprint; Both: Manual spreadsheet updates / One of us: No accountability across teams\nHello,\n\nwe install heat pumps. Orders come in by phone, e-mail and on paper. By Thursday nobody knows which parts are in which van.\n\n  - stock is counted twice a year\n  - the office retypes each order\n\nThanks,\nAna',
    ),
    arabic: message('محمد عبد الرحمن', 'mohammed@example.org', 'السلام عليكم،\n\nWe use Excel.\n\nشكراً'),
    long: message(
      'W'.repeat(200),
      `w@${'subdomain.'.repeat(8)}gmial.con`,
      `https://example.org/${'a1b2c3d4'.repeat(60)}\n${'This goes on and on, as some letters do. '.repeat(232)}`,
    ),
  };
  const first = Object.values(messages);
  const counts = { waiting: 0, sent: 0, set_aside: 0, spam: first.length };
  return {
    ...Object.fromEntries(
      Object.entries(messages).map(([name, one]) => [name, composeNotification(one, said, settings)]),
    ),
    daily: composeDaily({ ids: first.map(({ id }) => id), counts, first }, said, now, settings),
  };
}
