import MailComposer from 'nodemailer/lib/mail-composer';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Dovecot, dovecotHere, startDovecot } from '../tests/dovecot.ts';
import { openWithMailbox } from '../tests/mailbox-service.ts';
import { START } from '../tests/open-test-service.ts';

type Options = NonNullable<ConstructorParameters<typeof MailComposer>[0]>;

const MINUTE = 60_000;
const program = dovecotHere();
let dovecot: Dovecot;
beforeAll(async () => {
  if (program !== undefined) dovecot = await startDovecot(program);
});
afterAll(() => dovecot?.close());

/** What a mail program has at hand when the owner presses a button. */
type Notification = { id: string; subject: string; visitor: string; references: string };
type Shape = (of: Notification) => Options | string;

const OWNER = 'Owner <owner@example.com>';
const reply = ({ id, subject, visitor, references }: Notification): Options => ({
  from: OWNER,
  to: { name: 'Ana Souza', address: visitor },
  subject: `Re: ${subject}`,
  inReplyTo: id,
  references: `${references} ${id}`,
  date: new Date(START + 3 * MINUTE),
  text: 'Gladly. When can we talk?\n\nOn Saturday, Ana Souza wrote:\n> Our stock is never where it should be.',
});

const ANSWERS: Record<string, Shape> = {
  'a plain reply, top-posted': reply,
  'a reply to all': (of) => ({ ...reply(of), cc: ['website@example.com', 'colleague@example.com'] }),
  'Gmail: References of the whole thread, HTML': (of) => ({
    ...reply(of),
    messageId: '<CAF=abc123+xyz@mail.gmail.com>',
    html: '<div dir="ltr">Gladly.</div><div class="gmail_quote">…</div>',
  }),
  'Outlook: RE, Thread-Topic and Thread-Index': (of) => ({
    ...reply(of),
    subject: `RE: ${of.subject}`,
    headers: {
      'Thread-Topic': of.subject,
      'Thread-Index': 'AQHbPKx1n0Y3X0qBMUqJ2bqR0j5s7A==',
      'X-MS-Has-Attach': '',
      'Accept-Language': 'en-CA, fr-CA',
    },
  }),
  'Outlook in German, an ID that is written twice': (of) => ({
    ...reply(of),
    subject: `AW: ${of.subject}`,
    references: `${of.id} ${of.id}`,
  }),
  'a subject that is not ASCII': (of) => ({ ...reply(of), subject: 'Re: Réponse à « 在庫 » – العربية 📦' }),
  'a reply without In-Reply-To, by References alone': (of) => ({
    ...reply(of),
    inReplyTo: '',
    to: 'corrected@example.net',
  }),
  'a reply to an address that she corrected': (of) => ({ ...reply(of), to: 'ana@corrected.example' }),
  'the same, in Chinese': (of) => ({
    ...reply(of),
    to: 'ana@corrected.example',
    subject: `回复：${of.subject}`,
  }),
  'a new mail to the visitor': ({ visitor }) => ({
    from: OWNER,
    to: visitor.toUpperCase(),
    subject: 'Your stock',
    date: new Date(START + 3 * MINUTE),
    text: 'Hello Ana',
  }),
  'a new mail with the visitor among many, in Bcc': ({ visitor }) => ({
    from: OWNER,
    to: 'colleague@example.com',
    bcc: ['x@example.org', visitor],
    subject: 'Stock',
    date: new Date(START + 3 * MINUTE),
    text: 'Hello',
  }),
  'a forwarded mail that the visitor gets as well': (of) => ({
    ...reply(of),
    subject: `Fwd: ${of.subject}`,
    to: ['partner@example.net', of.visitor],
  }),
  'a visitor’s name with a comma, brackets and quotation marks': (of) => ({
    ...reply(of),
    to: { name: 'Souza, Ana <ana@other.example> "A"', address: of.visitor },
  }),
  'an In-Reply-To that is folded within its brackets': (of) =>
    `From: ${OWNER}\r\nTo: ana@corrected.example\r\nSubject: Re: x\r\nDate: Sat, 21 Nov 2026 12:03:00 +0000\r\nIn-Reply-To: <${of.id.slice(1, 20)}\r\n ${of.id.slice(20, -1)}>\r\n\r\nHello`,
  'an In-Reply-To without brackets, and with words around it': (of) =>
    `From: ${OWNER}\r\nTo: ana@corrected.example\r\nSubject: Re: x\r\nDate: Sat, 21 Nov 2026 12:03:00 +0000\r\nIn-Reply-To: Your message ${of.id.slice(1, -1)}\r\n\r\nHello`,
  'a mail without a date, which has the server’s': (of) =>
    `From: ${OWNER}\r\nTo: ${of.visitor}\r\nSubject: Stock\r\n\r\nHello`,
};

const OTHERS: Record<string, Shape> = {
  'a forwarded mail, with the ID of the one it forwards': (of) => ({
    ...reply(of),
    subject: `Fwd: ${of.subject}`,
    to: 'partner@example.net',
  }),
  'a forwarded mail of Outlook': (of) => ({
    ...reply(of),
    subject: `FW: ${of.subject}`,
    to: 'partner@example.net',
  }),
  'a forwarded mail of Outlook in German': (of) => ({
    ...reply(of),
    subject: `WG: AW: ${of.subject}`,
    to: 'partner@example.net',
  }),
  'a reply that went to the website’s own address': (of) => ({
    ...reply(of),
    to: 'website@example.com',
    cc: 'owner@example.com',
  }),
  'a note of absence': (of) => ({ ...reply(of), headers: { 'Auto-Submitted': 'auto-replied' } }),
  'a mail to the visitor from before the message': (of) => ({
    from: OWNER,
    to: of.visitor,
    subject: 'Last year',
    date: new Date(START - MINUTE),
    text: 'Hello',
  }),
  'a mail to somebody with a longer address': ({ visitor }) => ({
    from: OWNER,
    to: `x${visitor}`,
    subject: 'Re: Stock',
    date: new Date(START + 3 * MINUTE),
    text: 'Hello',
  }),
  'a reply to another mail with nearly the same ID': (of) => ({
    ...reply(of),
    to: 'ana@corrected.example',
    inReplyTo: of.id.replace('@', '@x.'),
    references: '',
  }),
};

async function compose(options: Options): Promise<string> {
  const mail = new MailComposer(options).compile();
  // Mail programs keep it in the copy in Sent.
  mail.keepBcc = true;
  return String(await mail.build());
}

test.skipIf(program === undefined)('each kind of answer in Sent is known, and nothing else', async () => {
  const { write, look, owner, message, lines } = await openWithMailbox(dovecot, {
    MAIL_FROM: 'Website <website@example.com>',
  });
  const ids = new Map<string, string>();
  const raws: string[] = [];
  for (const [index, [name, shape]] of Object.entries({ ...ANSWERS, ...OTHERS }).entries()) {
    const visitor = `ana${index}@example.org`;
    const { id, raw } = await write('INBOX', name, visitor);
    ids.set(name, id);
    const shaped = shape({
      id: /^Message-ID: (.*)\r$/im.exec(raw)?.[1] ?? '',
      subject: /^Subject: (.*)\r$/m.exec(raw)?.[1] ?? '',
      references: /^References: (.*)\r$/m.exec(raw)?.[1] ?? '',
      visitor,
    });
    raws.push(typeof shaped === 'string' ? shaped : await compose(shaped));
  }
  await look(4.5);
  for (const raw of raws) await owner.append('Sent', raw, ['\\Seen'], new Date(START + 4 * MINUTE));
  await look(5);
  const took: Record<string, number | null> = {};
  for (const [name, id] of ids) {
    const { answeredAt, receivedAt } = await message(id);
    took[name] = answeredAt === null ? null : (answeredAt - receivedAt) / MINUTE;
  }
  expect(took).toEqual({
    ...Object.fromEntries(Object.keys(ANSWERS).map((name) => [name, 3])),
    'a mail without a date, which has the server’s': 4,
    ...Object.fromEntries(Object.keys(OTHERS).map((name) => [name, null])),
  });
  expect(lines.join('')).not.toMatch(/Ana|ana\d|Hello|stock/i);
});
