import type { Command } from 'commander';
import { mailto, replySubject } from '../mail/mailto.ts';
import type { Message } from '../messages/message.ts';
import { shortId } from '../messages/short-id.ts';
import type { Settings } from '../settings/settings.ts';
import type { Desk } from './desk.ts';
import { hasDesktop, openOnDesktop } from './desktop.ts';
import { findMessage } from './messages.ts';
import { dim, json, note, oneLine, printable, write } from './terminal.ts';
import { localTime } from './time.ts';

type Options = { print?: true; json?: true };

/** Mail programs take links up to about 2,000 characters; some drop longer ones. */
const LONGEST_ADDRESS = 1_900;

export function addReply(program: Command, desk: Desk): void {
  program
    .command('reply <id>')
    .description('answer in your mail program, or print the draft')
    .option('--print', 'print the draft, also where there is a mail program')
    .action(async (id: string, options: Options) => {
      const row = await findMessage(await desk.database(), id);
      const draft = draftReply(row, desk.settings());
      const onceSent =
        row.answeredAt === null ? `Once it’s sent: npm run desk answered ${shortId(row.id)}\n` : '';
      if (options.json) return write(json(draft));
      if (!options.print && hasDesktop() && draft.mailto && (await openOnDesktop(draft.mailto))) {
        write(`Your mail program has the draft to ${printable(draft.to)}.\n`);
        if (draft.shortened)
          note('The quote is shortened, since mail programs limit how long a draft can be.\n');
        return note(onceSent);
      }
      write(
        `${dim('To:')}      ${oneLine(draft.to)}\n${dim('Subject:')} ${draft.subject}\n\n${printable(draft.body)}\n`,
      );
      note(onceSent);
    });
}

export function draftReply(row: Message, { siteUrl, timeZone }: Settings) {
  const subject = replySubject(siteUrl);
  const quoted = (text: string) =>
    `Hello ${row.name},\n\n\n\nOn ${localTime(row.receivedAt, timeZone)}, ${row.name} wrote:\n${text.replace(/^/gm, '> ')}`;
  const addressWith = (text: string) => mailto(row.email, { subject, body: quoted(text) });
  const whole = addressWith(row.message);
  const shortened = whole !== undefined && whole.length > LONGEST_ADDRESS;
  let address = shortened ? addressWith('[…]') : whole;
  let quote = '';
  // As many whole characters as fit.
  for (const character of shortened ? row.message : '') {
    quote += character;
    const longer = addressWith(`${quote} […]`);
    if ((longer?.length ?? 0) > LONGEST_ADDRESS) break;
    address = longer;
  }
  return { to: row.email, subject, body: quoted(row.message), mailto: address ?? null, shortened };
}
