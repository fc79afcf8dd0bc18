import { createHash } from 'node:crypto';
import type { Settings } from '../../settings/settings.ts';
import { describeShortly, describeTime } from '../messages/day.ts';
import { shortId } from '../messages/message.ts';
import type { Some } from '../messages/queries.ts';
import { whyHeld } from '../messages/suspicion.ts';
import { escapeHtml } from './escape-html.ts';
import * as sheet from './layout.ts';
import type { Mail } from './mail.ts';
import { oneLine, shorten } from './notification.ts';

/** With more, it's a flood, and the desk has them all. */
export const MOST_LISTED = 50;
const FIRST_WORDS = 120;
const LONGEST_NAME = 60;
const SPAM = 'npm run desk -- list --state spam';

type Needed = Pick<Settings, 'mailFrom' | 'contactEmail' | 'siteUrl' | 'timeZone'>;

/** Suspected spam that wasn't listed yet, at least one, with the way back for each: a lead among it is found within a day. */
export function composeHeldMail({ ids, first }: Some, now: number, settings: Needed): Mail {
  const { mailFrom, contactEmail, siteUrl, timeZone } = settings;
  const page = sheet.pageName(siteUrl);
  const count = ids.length;
  // The same for the same list, so that a mail program shows it once.
  const id = `held-${createHash('sha256').update(ids.join()).digest('hex').slice(0, 16)}`;
  const isOne = count === 1;
  const news = isOne
    ? '1 message looks like spam'
    : `${count.toLocaleString('en-CA')} messages look like spam`;
  const lead = isOne
    ? 'So it was kept, and not mailed to you. If it isn’t spam, the command below it mails it to you.'
    : 'So they were kept, and not mailed to you. If one isn’t spam, the command below it mails it to you.';
  const entries = first.map(({ id, name, email, message, receivedAt, heldFor }) => ({
    who: shorten(withoutLinks(name), LONGEST_NAME),
    email,
    came: describeShortly(receivedAt, timeZone),
    words: shorten(withoutLinks(message), FIRST_WORDS),
    why: `It’s held because ${whyHeld(heldFor)}.`,
    command: `npm run desk not-spam ${shortId(id)}`,
  }));
  const others = count - entries.length;
  const all = others > 0 ? `… and ${others.toLocaleString('en-CA')} more. All of them:` : 'All that’s held:';
  const sent = describeTime(now, timeZone);
  return {
    id,
    from: mailFrom,
    to: { name: '', address: contactEmail },
    subject: `${news} (${page})`,
    messageId: `<${id}@${mailFrom.address.split('@')[1]}>`,
    at: now,
    text: `${news}. ${lead}

${entries
  .map(
    ({ who, email, came, words, why, command }) =>
      `${who} <${email}>, ${came}\n  ${words}\n  ${why}\n  ${command}\n`,
  )
  .join('\n')}
${all} ${SPAM}

-- 
Sent on ${sent}, once a day, and only when something is held.
`,
    html: sheet.mailHtml({
      preheader: entries.map(({ who }) => who).join(', '),
      head: ['Suspected spam', page],
      rows: [
        sheet.row(sheet.headingHtml(escapeHtml(news), escapeHtml(lead)), [28, 12]),
        ...entries.map(({ who, email, came, words, why, command }) =>
          sheet.row(
            `${line('ink', `<strong>${escapeHtml(who)}</strong> &lt;${escapeHtml(email)}&gt;`)}
${line('ink', escapeHtml(words))}
${line('ink-quiet', `${escapeHtml(came)} – ${escapeHtml(why)}`)}
${line('ink', sheet.commandHtml(command))}`,
            [16, 0],
          ),
        ),
        sheet.row(line('ink-quiet', `${escapeHtml(all)}<br>${sheet.commandHtml(SPAM)}`), [20, 28]),
      ],
      titleBlock: [['Sent', sheet.timeHtml(sent)]],
    }),
  };
}

function line(colour: sheet.TextColour, html: string): string {
  const style = `margin:0;font-size:15px;line-height:22px;${sheet.ANY_SCRIPT}`;
  return `<p dir="auto" ${sheet.textStyle(colour, style)}>${html}</p>`;
}

/** Mail programs make links of addresses, and nobody should follow these. */
function withoutLinks(text: string): string {
  return oneLine(text.replace(/(?:[a-z]+:\/\/|www\.)\S+/giu, '[link]'));
}
