import { join } from 'node:path';
import type { Browser } from '@playwright/test';
import type { ContactMessage } from '../contract/contact-message.ts';
import { composeDaily, composeNotification, composeReminder } from '../server/mail/mails.ts';
import type { Mail } from '../server/mail/transport.ts';
import type { Message } from '../server/messages/table.ts';
import { readSettings } from '../settings/settings.ts';

const SETTINGS = readSettings({
  CONTACT_EMAIL: 'owner@example.com',
  SITE_URL: 'https://www.example.com',
  TIME_ZONE: 'America/Toronto',
  SMTP_URL: 'smtps://smtp.example.com:465',
});

const SAID = { replyHours: 24, topics: 'About' };

const LETTER = `Hello,

we install heat pumps, fourteen people, two vans and one spreadsheet that everybody is afraid of. Orders come in by phone, e-mail and sometimes on paper. By Thursday nobody knows which parts are in which van.

  - stock is counted twice a year
  - the office retypes each order
  - three of us know the macros

Could you have a look before the season starts? A call after four in the afternoon is best.

Thanks,
Ana`;

/** What people write, and what breaks a layout. */
const ANA = {
  name: 'Ana Souza',
  email: 'ana@example.org',
  message: `About: The Optimization Blueprint; Both: Manual spreadsheet updates; Lost visibility on stock and tasks / One of us: No accountability across teams\n${LETTER}`,
};
const MESSAGES: Record<string, ContactMessage> = {
  letter: ANA,
  word: { name: 'Bo', email: 'bo@example.org', message: 'Help' },
  question: {
    name: 'Jean-François d’Alembert-Lévesque',
    email: 'jf@example.org',
    message:
      'About: Lost visibility on stock and tasks; Repeated pick/pack/order errors\nOur stock is never where it should be. Do you also work with clinics?',
  },
  arabic: {
    name: 'محمد عبد الرحمن',
    email: 'mohammed@example.org',
    message:
      'السلام عليكم،\n\nلدينا مستودع صغير ونفقد الطلبات كل أسبوع. هل يمكنك المساعدة؟\n\nWe use Excel and WhatsApp.\n\nشكراً',
  },
  emoji: { name: '👩🏽‍🔧 Zoë 🚚', email: 'zoe@example.org', message: '📦📦📦 ➡️ 🤷🏽‍♀️\n\nHelp? 😅' },
  name: {
    name: 'Ana María '.repeat(20).trim(),
    email: `${'long.local.part.'.repeat(4).slice(0, 60)}@${'subdomain.'.repeat(8)}example.org`,
    message: 'short',
  },
  long: {
    name: 'W'.repeat(200),
    email: 'w@example.org',
    message: `${'https://example.org/a/very/long/address/without/any/blank?'.repeat(10)}\n${'This goes on and on, as some letters do. '.repeat(232)}`,
  },
  doubt: {
    name: 'Bo',
    email: `bo@${`${'long'.repeat(15)}.`.repeat(3)}gmial.con`,
    message: `https://example.sharepoint.com/${'a1b2c3d4'.repeat(30)}`,
  },
  hostile: {
    name: '<b>Ana</b> & "Co"',
    email: "o'brien+{x}|y@example.org",
    message: '<script>alert(1)</script>\n<a href="https://evil.example">free stock</a>\n</td></tr></table>',
  },
};

const NOW = Date.UTC(2026, 10, 21, 12);

export function mails(): Record<string, Mail> {
  const reminder = composeReminder(stored(ANA), { at: NOW, ...SAID }, SETTINGS);
  const first = Object.values(MESSAGES).map(suspected);
  const counts = { waiting: 0, sent: 0, set_aside: 0, spam: first.length };
  const told = { ids: first.map(({ id }) => id), counts, first };
  const daily = composeDaily(told, NOW, SAID, SETTINGS);
  return { ...notifications(), 'mail-reminder': reminder, 'mail-daily': daily };
}

function notifications(): Record<string, Mail> {
  return Object.fromEntries(
    Object.entries(MESSAGES).map(([name, message]) => [
      `mail-${name}`,
      composeNotification(stored(message), SAID, SETTINGS),
    ]),
  );
}

function suspected(message: ContactMessage): Message {
  return { ...stored(message), state: 'spam', held_for: 'fast copies' };
}

function stored(message: ContactMessage): Message {
  return {
    ...message,
    id: '01a1fc24-7b5e-7429-abc4-659443c39f9d',
    message_id: '<01a1fc24@example.com>',
    received_at: Date.UTC(2026, 10, 21, 12, 14),
    state: 'waiting',
    last_error: null,
    held_for: null,
  } as Message;
}

/** Each mail on a phone and a desktop: light, dark, and in a mail program that strips all styles. */
export async function shootMails(browser: Browser, folder: string, words: readonly string[]): Promise<void> {
  for (const [name, { html }] of Object.entries(mails())) {
    for (const width of [360, 720]) {
      for (const theme of ['light', 'dark', 'stripped'] as const) {
        const picture = `${name}-${width}-${theme}`;
        if (!words.every((word) => picture.includes(word))) continue;
        const page = await browser.newPage({
          viewport: { width, height: 640 },
          colorScheme: theme === 'dark' ? 'dark' : 'light',
          deviceScaleFactor: 2,
          isMobile: width === 360,
        });
        await page.setContent(theme === 'stripped' ? stripped(html) : html);
        await page.screenshot({ path: join(folder, `${picture}.png`), fullPage: true });
        await page.close();
      }
    }
  }
}

function stripped(html: string): string {
  return html.replace(/<style>.*?<\/style>/gs, '').replace(/ (style|class|bgcolor)="[^"]*"/g, '');
}
