import { describe, expect, onTestFinished, test } from 'vitest';
import type { MessageRow } from '../../tests/support/database/message-rows.ts';
import { openTestDesk } from '../../tests/support/desk/desk-process.ts';
import { ask, openDeskPage } from '../../tests/support/desk/open-desk-page.ts';
import { startSmtpServer } from '../../tests/support/mail/smtp-server.ts';

const OWNER = { CONTACT_EMAIL: 'ines@example.com', SITE_URL: 'https://www.example.com' };

/** A desk in a browser that was let in, and a mail server. */
async function open(env: Record<string, string> = {}) {
  const server = await startSmtpServer();
  onTestFinished(() => server.close());
  const desk = await openTestDesk('sqlite');
  const start = () =>
    openDeskPage(desk.folder, { DATABASE_URL: desk.url, SMTP_URL: server.url, ...OWNER, ...env });
  const page = await start();
  onTestFinished(async () => void (await page.close()));
  const { headers } = await ask(page.link);
  const cookie = headers['set-cookie']?.[0]?.split(';')[0] ?? '';
  const look = (path: string) => ask(`${page.origin}${path}`, { headers: { cookie } });
  const post = (path: string, body: string, session = cookie) =>
    ask(`${page.origin}${path}`, {
      method: 'POST',
      body,
      headers: {
        cookie: session,
        origin: page.origin,
        'sec-fetch-site': 'same-origin',
        'content-type': 'application/x-www-form-urlencoded',
        'content-length': String(Buffer.byteLength(body)),
      },
    });
  /** The form on the message's page, with this text typed. */
  async function form({ id }: MessageRow, text: string): Promise<string> {
    return formOf((await look(`/messages/${id}`)).body, text);
  }
  const send = ({ id }: MessageRow, body: string) => post(`/messages/${id}/answer`, body);
  return { ...desk, server, look, post, form, send, page };
}

function formOf(html: string, text: string): string {
  const hidden = html.matchAll(/type="hidden" name="(\w+)" value="(\w*)"/g);
  return String(
    new URLSearchParams([...[...hidden].map(([, name = '', value = '']) => [name, value]), ['text', text]]),
  );
}

describe('an answer that is typed on the desk', () => {
  test('reaches the visitor from her address in the thread of the notification, and she gets a copy', async () => {
    const { add, rows, form, send, look, server } = await open();
    const message = await add({ name: 'Zoë & Co', message: 'One\n\nTwo?' });
    expect((await look(`/messages/${message.id}`)).body).toContain('>Hi Zoë &amp; Co,');
    const { status, headers } = await send(message, await form(message, 'Hi Zoë,\r\n\r\nYes. 👍'));
    expect({ status, to: headers.location }).toEqual({ status: 303, to: `/messages/${message.id}#said` });
    const [mail] = server.received;
    expect(mail).toMatchObject({ from: 'ines@example.com', to: ['ana@example.org', 'ines@example.com'] });
    expect(mail?.parsed).toMatchObject({
      from: { name: '', address: 'ines@example.com' },
      to: [{ name: 'Zoë & Co', address: 'ana@example.org' }],
      subject: 'Re: New message from Zoë & Co (ana@example.org)',
      inReplyTo: message.message_id,
    });
    expect(mail?.parsed.references).toMatch(/^<visitor-\w+@example\.com> /);
    expect(mail?.parsed.references?.endsWith(message.message_id)).toBe(true);
    expect(mail?.parsed.text).toMatch(/^Hi Zoë,\n\nYes. 👍\n\nOn .*, Zoë & Co wrote:\n> One\n> \n> Two\?\n/);
    expect(mail?.parsed.html).toBeUndefined();
    expect(mail?.raw).not.toMatch(/^(bcc|auto-submitted|reply-to):/im);
    expect((await rows())[0]?.answered_at).toBeGreaterThan(0);
    expect((await look(`/messages/${message.id}`)).body).toContain('Your answer to Zoë &amp; Co is sent.');
  });

  test('comes from the sender that the mail server takes, and replies to it reach her', async () => {
    const { add, form, send, server } = await open({ MAIL_FROM: 'Ines Roy <web@example.com>' });
    const message = await add();
    await send(message, await form(message, 'Yes.'));
    expect(server.received[0]).toMatchObject({
      from: 'web@example.com',
      to: ['ana@example.org', 'ines@example.com'],
    });
    expect(server.received[0]?.parsed).toMatchObject({
      from: { name: 'Ines Roy', address: 'web@example.com' },
      replyTo: [{ address: 'ines@example.com' }],
    });
  });

  test('is sent once, however often it is posted and from however many tabs', async () => {
    const { add, form, send, server, look } = await open();
    const message = await add();
    const [one, other] = [await form(message, 'From one tab'), await form(message, 'From the other tab')];
    server.hangAtContent();
    const both = [send(message, one), send(message, one), send(message, other)];
    await expect.poll(server.holding).toBe(1);
    server.acceptAll();
    const [first, twice, second] = await Promise.all(both);
    expect([first?.status, twice?.status, second?.status]).toEqual([303, 303, 409]);
    expect(second?.body).toContain('This one wasn’t sent.');
    expect(second?.body).toContain('From the other tab');
    expect((await send(message, one)).status).toBe(303);
    expect(server.received).toHaveLength(1);
    // She reads that, and means both.
    expect((await send(message, formOf(second?.body ?? '', 'From the other tab'))).status).toBe(303);
    expect(server.received.map(({ parsed }) => parsed.text?.split('\n')[0])).toEqual([
      'From one tab',
      'From the other tab',
    ]);
    expect((await look(`/messages/${message.id}`)).body).toContain('Write once more');
  });

  test.each([
    ['content', 'the mail server put it off (code 451)', 451],
    ['content', 'the mail server refuses it (code 554)', 554],
    ['mail', 'the mail server refuses our login or sender (code 550)', 550],
  ] as const)('stays in its box when the mail fails at %s: %s', async (step, words, code) => {
    const { add, form, send, server, rows } = await open();
    const message = await add();
    server.failAt(step, code);
    const typed = 'Hi Ana,\n\n<b>"It\'s" & </textarea><script>x</script>';
    const failed = await send(message, await form(message, typed));
    expect(failed.status).toBe(409);
    expect(failed.body).toContain(`It wasn’t sent: ${words}.`);
    expect(failed.body).toContain('&lt;b&gt;&quot;It&#x27;s&quot; &amp; &lt;/textarea&gt;&lt;script&gt;x');
    expect((await rows())[0]?.answered_at).toBeNull();
    server.acceptAll();
    expect((await send(message, formOf(failed.body, typed))).status).toBe(303);
    expect(server.received[0]?.parsed.text).toContain('</textarea>');
  });

  test('isn’t called sent when only her copy was taken', async () => {
    const server = await startSmtpServer({
      onRcptTo: ({ address }, _, done) =>
        done(address === 'ana@example.org' ? Object.assign(new Error('no'), { responseCode: 550 }) : null),
    });
    onTestFinished(() => server.close());
    const { add, form, send, rows } = await open({ SMTP_URL: server.url });
    const message = await add();
    const { status, body } = await send(message, await form(message, 'Yes.'));
    expect({ status, answeredAt: (await rows())[0]?.answered_at }).toEqual({ status: 409, answeredAt: null });
    expect(body).toContain('It wasn’t sent: the mail server refuses it (code 550).');
  });

  test('keeps the Message-ID of its form, so that a mail that nobody is sure of shows once', async () => {
    const { add, form, send, server } = await open();
    const message = await add();
    server.cutAfterFinalDot();
    const failed = await send(message, await form(message, 'Yes.'));
    expect(failed.status).toBe(409);
    server.acceptAll();
    await send(message, formOf(failed.body, 'Yes.'));
    const idOf = (raw = '') => /^message-id:\s*(\S+)/im.exec(raw)?.[1];
    expect(idOf(server.swallowed[0])).toMatch(/^<answer-[\da-f]{24}-/);
    expect(idOf(server.received[0]?.raw)).toBe(idOf(server.swallowed[0]));
  });

  test('has no headers or recipients but ours, whatever the visitor typed', async () => {
    const { add, form, send, server } = await open();
    const evil = 'Eve\r\nBcc: all@evil.example\r\n\r\nx" <all@evil.example>, =?utf-8?q?=0d=0aX-Evil:_1?=';
    const message = await add({
      name: evil,
      message: 'x\r\nBcc: all@evil.example\r\n.\r\nRCPT TO:<all@evil.example>',
    });
    const { status } = await send(message, await form(message, 'Yes.\r\nBcc: all@evil.example\r\n.\r\nQUIT'));
    expect(status).toBe(303);
    const [mail] = server.received;
    expect(mail?.to).toEqual(['ana@example.org', 'ines@example.com']);
    const [head = ''] = mail?.raw.split('\r\n\r\n') ?? [];
    expect(head.replace(/\r\n[ \t]/g, ' ')).not.toMatch(/^(bcc|x-evil|cc):/im);
    expect(mail?.parsed.to).toHaveLength(1);
    const strange = await add({ email: 'a@b.example\r\nBcc: all@evil.example' });
    expect((await look(strange)).includes('Send answer')).toBe(false);
    expect((await send(strange, formOf('', 'Yes.'))).status).toBe(409);
    expect(server.received).toHaveLength(1);
    async function look({ id }: MessageRow) {
      return (await send({ ...message, id }, '')).body.replace(/role="alert".*?<\/form>/s, '');
    }
  });

  test('needs more than the greeting', async () => {
    const { add, form, send, server } = await open();
    const message = await add();
    const { status, body } = await send(message, await form(message, 'Hi Ana Souza,\r\n\r\n'));
    expect({ status, sent: server.received.length }).toEqual({ status: 409, sent: 0 });
    expect(body).toContain('there’s only the greeting');
  });

  test('is given back when the desk was opened anew meanwhile, or the message is gone', async () => {
    const { add, form, post, send } = await open();
    const message = await add();
    const typed = await form(message, 'An hour’s work');
    const refused = await post(`/messages/${message.id}/answer`, typed, 'desk-1=old');
    expect(refused.status).toBe(403);
    expect(refused.body).toContain('An hour’s work</textarea>');
    const gone = await send({ ...message, id: 'ffffffff' }, typed);
    expect(gone.status).toBe(409);
    expect(gone.body).toContain('An hour’s work</textarea>');
  });

  test('can’t be sent where mails are only files, and the page says so', async () => {
    const { add, look, send } = await open({ SMTP_URL: '' });
    const message = await add();
    const { body } = await look(`/messages/${message.id}`);
    expect(body).toContain('set your mail server in Settings');
    expect(body).toContain('Answer in your mail program');
    expect(body).not.toContain('Send answer');
    expect((await send(message, formOf('', 'Yes.'))).body).toContain('Yes.</textarea>');
  });
});
