import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import PostalMime from 'postal-mime';
import { describe, expect, onTestFinished, test } from 'vitest';
import { ENGINES, openTestDesk } from '../tests/desk-process.ts';
import { START } from '../tests/open-test-service.ts';
import { startSmtpServer } from '../tests/smtp-server.ts';

const DAY = 86_400_000;

describe.each(ENGINES)('on %s', (engine) => {
  /** A desk with one waiting message and 40 page views, both from yesterday. */
  async function withYesterday() {
    const desk = await openTestDesk(engine);
    await desk.add({ received_at: START - DAY, state: 'waiting', sent_at: null });
    await desk.database.db
      .insertInto('daily_count')
      .values([
        { day: '2026-11-20', what: 'visit', count: 40 },
        { day: '2026-11-20', what: 'message', count: 1 },
      ])
      .execute();
    return desk;
  }

  test('the digest is mailed at once, printed, or given to a script', async () => {
    const { run } = await withYesterday();
    const mail = await startSmtpServer();
    onTestFinished(() => mail.close());
    const env = { SMTP_URL: mail.url, CONTACT_EMAIL: 'owner@example.com' };
    const printed = await run(['digest', '--print'], { env });
    expect(printed).toMatchObject({ code: 0, err: '' });
    expect(printed.out.replace(/ +/g, ' ')).toContain(
      '1 message waits for your answer, for over 24 hours.\n 1 min late 00000001 Fri, Nov 20, 7:00 a.m.\n',
    );
    expect(printed.out.replace(/ +/g, ' ')).toContain(
      'Received 1\nDelivered 0\nAnswered within 24 hours, last 30 days 0 of 1\nPage views 40\nConversion 2.5%',
    );
    const script = await run(['digest', '--json', '--week'], { env });
    expect(JSON.parse(script.out)).toEqual({
      first: '2026-11-14',
      last: '2026-11-20',
      received: 1,
      delivered: 0,
      spam: 0,
      counted: { visits: 40, messages: 1 },
      waiting: 1,
      setAside: 0,
      inJunk: 0,
      nowhere: 0,
      oldestUndeliveredAt: new Date(START - DAY).toISOString(),
      unanswered: 1,
      late: 1,
      oldestAnswerDueAt: new Date(START).toISOString(),
      answersDue: 1,
      answeredInTime: 0,
      medianAnswerMs: null,
    });
    expect(mail.received).toEqual([]);
    const sent = await run(['digest'], { env });
    expect(sent).toMatchObject({ code: 0, err: '' });
    expect(sent.out).toContain(`on its way to owner@example.com, through 127.0.0.1:${mail.port}`);
    expect(mail.received[0]?.parsed.subject).toBe('1 message on Friday, November 20 (your website)');
    mail.failAt('mail', 550);
    const refused = await run(['digest'], { env });
    expect(refused).toMatchObject({ code: 1, out: '' });
    expect(refused.err).toContain('not mailed: the mail server refuses our login or sender (code 550).');
  });

  test('without a mail server the digest says that no mail is sent yet', async () => {
    const { run, folder } = await withYesterday();
    const { code, out } = await run(['digest']);
    expect({ code, out }).toEqual({
      code: 0,
      out: `The digest is a file in ${join(folder, 'mail')}, since SMTP_URL isn’t set.\n`,
    });
    const [name = ''] = readdirSync(join(folder, 'mail'));
    const { text } = await PostalMime.parse(readFileSync(join(folder, 'mail', name)));
    expect(text).toContain('No mail is sent yet, since SMTP_URL isn’t set');
    expect(text).not.toContain('Mail works');
  });

  test('the statistics show page views and how many of them wrote, once they are counted', async () => {
    const { run, runJson } = await withYesterday();
    const { out } = await run(['stats']);
    expect(out).toMatch(/Page views +[·█]+\n +40 views, at most 40 a day; 2\.5% wrote/);
    const figures = (await runJson(['stats'])) as { conversion: number; days: unknown[] };
    expect(figures.conversion).toBe(1 / 40);
    expect(figures.days.at(-2)).toMatchObject({ received: 1, visits: 40 });
  });
});
