import MailComposer from 'nodemailer/lib/mail-composer';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Dovecot, dovecotHere, startDovecot } from '../../tests/support/mail/dovecot.ts';
import { openWithMailbox } from '../../tests/support/mail/mailbox-service.ts';
import { START } from '../../tests/support/service/open-test-service.ts';

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
type Outcome = 'answered' | 'perhaps' | 'no';
/** What differs from a plain reply of three minutes later; or the whole mail. */
type Shape = (of: Notification) => Options | string;

const OWNER = 'Owner <owner@example.com>';
const LATER = new Date(START + 3 * MINUTE);

const reply = ({ id, subject, visitor, references }: Notification): Options => ({
  from: OWNER,
  to: { name: 'Ana Souza', address: visitor },
  subject: `Re: ${subject}`,
  inReplyTo: id,
  references: `${references} ${id}`,
  date: LATER,
  text: 'Gladly. When can we talk?\n\nOn Saturday, Ana Souza wrote:\n> Our stock is never where it should be.',
});
const raw = (to: string, inReplyTo: string) =>
  `From: ${OWNER}\r\nTo: ${to}\r\nSubject: Re: x\r\nDate: ${LATER.toUTCString()}\r\nIn-Reply-To: ${inReplyTo}\r\n\r\nHello`;
const marked =
  (name: string, value: string, more: Options = {}): Shape =>
  () => ({
    headers: { [name]: value },
    ...more,
  });
const unthreaded = { inReplyTo: '', references: '', subject: 'Stock' };
const ELSEWHERE = 'ana@corrected.example';
const COLLEAGUE = { to: 'colleague@example.com' };

const MAILS: Record<string, [Outcome, Shape]> = {
  'a plain reply, top-posted': ['answered', () => ({})],
  'a reply to all': ['answered', () => ({ cc: ['website@example.com', 'colleague@example.com'] })],
  'a reply to a colleague, with the visitor in Cc': [
    'answered',
    ({ visitor }) => ({ ...COLLEAGUE, cc: visitor }),
  ],
  'Gmail: References of the whole thread, HTML': [
    'answered',
    () => ({
      messageId: '<CAF=abc123+xyz@mail.gmail.com>',
      html: '<div dir="ltr">Gladly.</div><div class="gmail_quote">…</div>',
    }),
  ],
  'Outlook: RE, Thread-Topic and Thread-Index': [
    'answered',
    ({ subject }) => ({
      subject: `RE: ${subject}`,
      headers: {
        'Thread-Topic': subject,
        'Thread-Index': 'AQHbPKx1n0Y3X0qBMUqJ2bqR0j5s7A==',
        'X-MS-Has-Attach': '',
      },
    }),
  ],
  'Apple Mail: Auto-Submitted says no': ['answered', marked('Auto-Submitted', 'no')],
  'Exchange: no read receipts, please': ['answered', marked('X-Auto-Response-Suppress', 'RN, NRN')],
  'a subject that is not ASCII': ['answered', () => ({ subject: 'Re: Réponse à « 在庫 » – العربية 📦' })],
  'a new mail to the visitor': ['answered', ({ visitor }) => ({ ...unthreaded, to: visitor.toUpperCase() })],
  'a forwarded mail that the visitor gets as well': [
    'answered',
    (of) => ({ subject: `Fwd: ${of.subject}`, to: ['partner@example.net', of.visitor] }),
  ],
  'a visitor’s name with a comma, brackets and quotation marks': [
    'answered',
    ({ visitor }) => ({ to: { name: 'Souza, Ana <ana@other.example> "A"', address: visitor } }),
  ],

  'a reply to an address that she corrected': ['perhaps', () => ({ to: ELSEWHERE })],
  'the same, by References alone': ['perhaps', () => ({ to: ELSEWHERE, inReplyTo: '' })],
  'the same, in Chinese': ['perhaps', ({ subject }) => ({ to: ELSEWHERE, subject: `回复：${subject}` })],
  'an In-Reply-To that is folded within its brackets': [
    'perhaps',
    ({ id }) => raw(ELSEWHERE, `<${id.slice(1, 20)}\r\n ${id.slice(20, -1)}>`),
  ],
  'an In-Reply-To without brackets, and with words around it': [
    'perhaps',
    ({ id }) => raw(ELSEWHERE, `Your message ${id.slice(1, -1)}`),
  ],
  'a reply to a colleague alone': ['perhaps', () => COLLEAGUE],
  'a new mail with the visitor among many, in Bcc': [
    'perhaps',
    ({ visitor }) => ({ ...unthreaded, ...COLLEAGUE, bcc: ['x@example.org', visitor] }),
  ],
  'Exchange: a note of absence that asks for no other': [
    'perhaps',
    marked('X-Auto-Response-Suppress', 'DR, OOF, AutoReply'),
  ],
  'a note of absence by its subject alone': [
    'perhaps',
    ({ subject }) => ({ subject: `Automatic reply: ${subject}` }),
  ],
  'the same, in French': ['perhaps', ({ subject }) => ({ subject: `Réponse automatique : ${subject}` })],

  'a forwarded mail, with the ID of the one it forwards': [
    'no',
    ({ subject }) => ({ ...COLLEAGUE, subject: `Fwd: ${subject}` }),
  ],
  'a forwarded mail of Outlook in German': [
    'no',
    ({ subject }) => ({ ...COLLEAGUE, subject: `WG: AW: ${subject}` }),
  ],
  'an answer to a colleague about a forwarded mail': [
    'no',
    ({ subject }) => ({ ...COLLEAGUE, subject: `Re: Fwd: ${subject}` }),
  ],
  'a reply that went to the owner’s own addresses': [
    'no',
    () => ({ to: 'website@example.com', cc: 'Owner@example.com' }),
  ],
  'a note of absence (RFC 3834)': ['no', marked('Auto-Submitted', 'auto-replied')],
  'a note of absence with X-Autoreply alone': ['no', marked('X-Autoreply', 'yes')],
  'a note of absence with X-Autorespond alone': ['no', marked('X-Autorespond', 'New message')],
  'a note of absence with Precedence alone': ['no', marked('Precedence', 'auto_reply')],
  'a note of absence with X-Precedence alone': ['no', marked('X-Precedence', 'auto_reply')],
  'a read receipt': [
    'no',
    ({ visitor }) =>
      raw(
        visitor,
        '<x@y>\r\nContent-Type: multipart/report;\r\n report-type=disposition-notification; boundary=b',
      ),
  ],
  'a newsletter with the visitor in Bcc': [
    'no',
    ({ visitor }) => ({
      ...unthreaded,
      to: OWNER,
      bcc: visitor,
      headers: { 'List-Unsubscribe': '<https://news.example/>' },
    }),
  ],
  'a newsletter to the visitor': ['no', marked('Precedence', 'bulk', unthreaded)],
  'a mailing list': ['no', marked('List-Id', '<news.example.com>')],
  'a mail to the visitor from before the message': [
    'no',
    () => ({ ...unthreaded, date: new Date(START - MINUTE) }),
  ],
  'a mail to somebody with a longer address': ['no', ({ visitor }) => ({ ...unthreaded, to: `x${visitor}` })],
  'a reply to another mail with nearly the same ID': [
    'no',
    ({ id }) => ({ to: ELSEWHERE, inReplyTo: id.replace('@', '@x.'), references: '' }),
  ],
};

async function compose(options: Options): Promise<string> {
  const mail = new MailComposer(options).compile();
  // Mail programs keep it in the copy in Sent.
  mail.keepBcc = true;
  return String(await mail.build());
}

const match = (text: string, what: RegExp) => what.exec(text)?.[1] ?? '';

test.skipIf(program === undefined)(
  'each kind of mail in Sent is an answer, perhaps one, or none',
  async () => {
    const { write, look, owner, message, lines } = await openWithMailbox(dovecot, {
      MAIL_FROM: 'Website <website@example.com>',
    });
    const ids = new Map<string, string>();
    const sent: string[] = [];
    const undated = 'a mail without a date, which has the server’s';
    const all: typeof MAILS = {
      ...MAILS,
      [undated]: ['answered', ({ visitor }) => raw(visitor, '').replace(/^Date.*\r\n/m, '')],
    };
    for (const [index, [name, [, shape]]] of Object.entries(all).entries()) {
      const visitor = `ana${index}@example.org`;
      const { id, raw: mail } = await write('INBOX', name, visitor);
      ids.set(name, id);
      const of = {
        id: match(mail, /^Message-ID: (.*)\r$/im),
        subject: match(mail, /^Subject: (.*)\r$/m),
        references: match(mail, /^References: (.*)\r$/m),
        visitor,
      };
      const shaped = shape(of);
      sent.push(typeof shaped === 'string' ? shaped : await compose({ ...reply(of), ...shaped }));
    }
    await look(4.5);
    for (const mail of sent) await owner.append('Sent', mail, ['\\Seen'], new Date(START + 4 * MINUTE));
    await look(5);
    const found: Record<string, [string, number?]> = {};
    for (const [name, id] of ids) {
      const { answeredAt, perhapsAnsweredAt, receivedAt } = await message(id);
      const at = answeredAt ?? perhapsAnsweredAt;
      const outcome = answeredAt !== null ? 'answered' : perhapsAnsweredAt !== null ? 'perhaps' : 'no';
      found[name] = at === null ? [outcome] : [outcome, (at - receivedAt) / MINUTE];
    }
    const outcomes = Object.entries(MAILS).map(([name, [outcome]]) => [
      name,
      outcome === 'no' ? ['no'] : [outcome, 3],
    ]);
    expect(found).toEqual({ ...Object.fromEntries(outcomes), [undated]: ['answered', 4] });
    expect(lines.join('')).not.toMatch(/Ana|ana\d|Hello|stock/i);
  },
);

test.skipIf(program === undefined)(
  'a message that is perhaps answered is still reminded of, in those words',
  async () => {
    const { write, look, owner, mail, schedule } = await openWithMailbox(dovecot, { TIME_ZONE: 'UTC' });
    const { raw: notification } = await write('INBOX');
    const id = match(notification, /^Message-ID: (.*)\r$/im);
    await owner.append('Sent', raw('colleague@example.com', id));
    await look(5);
    await schedule.check(START + 20.1 * 60 * MINUTE);
    const [reminder] = mail.received.slice(1);
    expect(reminder?.parsed.text).toMatch(/^Perhaps answered/);
    expect(reminder?.raw).not.toContain('colleague');
  },
);
