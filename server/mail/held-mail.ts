import { createHash } from 'node:crypto';
import type { Settings } from '../../settings/settings.ts';
import { describeShortly, describeTime } from '../messages/day.ts';
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
const LONGEST_IN_SUBJECT = 30;
const DESK = 'npm run desk';

type Needed = Pick<Settings, 'mailFrom' | 'contactEmail' | 'siteUrl' | 'timeZone'>;

/** Suspected spam that wasn't listed yet, at least one: a lead among it is found within a day. */
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
  const lead = `So ${isOne ? 'it was' : 'they were'} kept, and not mailed to you.`;
  const entries = first.map(({ name, email, message, receivedAt, heldFor }) => ({
    who: shorten(withoutLinks(name), LONGEST_NAME),
    email,
    came: describeShortly(receivedAt, timeZone),
    words: shorten(withoutLinks(message), FIRST_WORDS),
    why: `It’s held because ${whyHeld(heldFor)}.`,
  }));
  const others = count - entries.length;
  const more = others > 0 ? `… and ${others.toLocaleString('en-CA')} more. ` : '';
  const todo = `${more}${isOne ? 'It isn’t spam' : 'One of them isn’t spam'}? Open your desk, show “Suspected spam”, and press “Not spam”.`;
  const [who = ''] = entries.map((entry) => shorten(entry.who, LONGEST_IN_SUBJECT));
  const sent = describeTime(now, timeZone);
  return {
    id,
    from: mailFrom,
    to: { name: '', address: contactEmail },
    subject: `Suspected spam: ${who}${isOne ? '' : ` and ${(count - 1).toLocaleString('en-CA')} more`}`,
    messageId: `<${id}@${mailFrom.address.split('@')[1]}>`,
    at: now,
    text: `${news}. ${lead}

${entries
  .map(({ who, email, came, words, why }) => `${who} <${email}>, ${came}\n  ${words}\n  ${why}\n`)
  .join('\n')}
${todo} (${DESK})

-- 
Sent on ${sent}, once a day, and only when something is held.
`,
    html: sheet.mailHtml({
      preheader: entries.map(({ who }) => who).join(', '),
      head: ['Suspected spam', page],
      rows: [
        sheet.row(sheet.headingHtml(escapeHtml(news), escapeHtml(lead)), [28, 12]),
        ...entries.map(({ who, email, came, words, why }) =>
          sheet.row(
            `${line('ink', `<strong>${escapeHtml(who)}</strong> &lt;${escapeHtml(email)}&gt;`)}
${line('ink', escapeHtml(words))}
${line('ink-quiet', `${escapeHtml(came)} – ${escapeHtml(why)}`)}`,
            [16, 0],
          ),
        ),
        sheet.row(line('ink', `${escapeHtml(todo)}<br>${sheet.commandHtml(DESK)}`), [20, 28]),
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
