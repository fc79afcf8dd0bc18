import type { Settings } from '../settings/settings.ts';
import { describeDay, describeTime } from './day.ts';
import type { Digest } from './digest.ts';
import { escapeHtml } from './escape-html.ts';
import {
  commandHtml,
  mailHtml,
  PALETTE,
  pageName,
  row,
  type TextColour,
  textStyle,
  timeHtml,
} from './layout.ts';
import type { Mail } from './mail.ts';

type DigestSettings = Pick<
  Settings,
  'mailFrom' | 'contactEmail' | 'siteUrl' | 'timeZone' | 'digest' | 'mail'
>;
type Context = { settings: DigestSettings; now: number; destination: string };

const RULE = PALETTE.light.rule;
const DOCTOR = 'npm run desk doctor';
const STATS = 'npm run desk stats';

/**
 * The mail that tells the owner how the days before went. It goes the way of the notifications, so that a
 * morning without it means that mails do not arrive, and a morning with it that nobody wrote.
 *
 * @param destination where mails go, for people
 */
export function composeDigest(digest: Digest, { settings, now, destination }: Context): Mail {
  const facts = describe(digest, { settings, now, destination });
  const { name } = digest.last;
  return {
    id: `digest-${name}`,
    from: settings.mailFrom,
    to: { name: '', address: settings.contactEmail },
    subject: `${facts.news} ${facts.when} (${facts.page})`,
    messageId: `<digest-${name}-${now}@${settings.mailFrom.address.split('@')[1]}>`,
    at: now,
    text: textPart(facts),
    html: htmlPart(facts),
  };
}

type Figure = { label: string; value: string; colour: TextColour };
type Facts = {
  page: string;
  /** What happened, such as `3 messages`. */
  news: string;
  /** Such as `on Friday, November 20`. */
  when: string;
  trouble: string[];
  past: Figure[];
  present: Figure[];
  proof: string;
  sent: string;
};

const count = (number: number, one: string, many = `${one}s`) =>
  `${number === 0 ? 'No' : number.toLocaleString('en-CA')} ${number === 1 ? one : many}`;

function describe(digest: Digest, { settings, now, destination }: Context): Facts {
  const { first, last, received, delivered, spam, counted, waiting, setAside } = digest;
  const figure = (label: string, value: number, colour: TextColour = 'ink'): Figure => ({
    label,
    value: value.toLocaleString('en-CA'),
    colour,
  });
  const stuck = (label: string, value: number) => figure(label, value, value > 0 ? 'signal-line' : 'ink');
  return {
    page: pageName(settings.siteUrl),
    news: count(received, 'message'),
    when:
      first.name === last.name
        ? `on ${describeDay(last)}`
        : `from ${describeDay(first)} to ${describeDay(last)}`,
    trouble: troubles(digest, settings.timeZone),
    past: [
      figure('Received', received),
      figure('Delivered', delivered),
      ...(counted ? [figure('Page views', counted.visits), conversion(counted)] : []),
      figure('Suspected spam', spam),
    ],
    present: [stuck('Waiting now', waiting), stuck('Set aside', setAside)],
    proof: proofOf(waiting, { settings, destination }),
    sent: describeTime(now, settings.timeZone),
  };
}

/** What it means that this mail was sent, and what it would mean if the next one were not. */
function proofOf(waiting: number, { settings, destination }: Omit<Context, 'now'>): string {
  if (settings.mail.via === 'folder')
    return `No mail is sent yet, since neither SMTP_URL nor RESEND_API_KEY is set: this one is a file in ${destination}, as all others are.`;
  const now =
    waiting > 0
      ? `This mail went out through ${destination}, so what waits should follow soon.`
      : `Mail works: this one took the way of your messages, through ${destination}.`;
  return settings.digest ? `${now} When the next one does not come, mails do not arrive.` : now;
}

function conversion({ visits, messages }: { visits: number; messages: number }): Figure {
  const share = visits > 0 ? messages / visits : undefined;
  const value =
    share === undefined
      ? '–'
      : share.toLocaleString('en-CA', { style: 'percent', maximumFractionDigits: share < 0.1 ? 1 : 0 });
  return { label: 'Conversion', value, colour: 'ink' };
}

function troubles({ waiting, setAside, oldestUndeliveredAt }: Digest, timeZone: string): string[] {
  const since = oldestUndeliveredAt === undefined ? '' : describeTime(oldestUndeliveredAt, timeZone);
  return [
    ...(waiting > 0
      ? [`${count(waiting, 'message waits', 'messages wait')} to be mailed; each is tried again by itself.`]
      : []),
    ...(setAside > 0
      ? [
          `${count(setAside, 'message was', 'messages were')} set aside, because the mail server does not take ${
            setAside === 1 ? 'it' : 'them'
          }: npm run desk -- list --state set-aside`,
        ]
      : []),
    ...(since ? [`The oldest is of ${since}. All are kept.`] : []),
  ];
}

function textPart({ page, news, when, trouble, past, present, proof, sent }: Facts): string {
  const figures = [...past, ...present];
  const width = Math.max(...figures.map(({ label }) => label.length));
  return `${news} ${when}, on ${page}.
${trouble.map((line) => `\n! ${line}`).join('')}${trouble.length > 0 ? '\n' : ''}
${figures.map(({ label, value }) => `${label.padEnd(width)}  ${value}`).join('\n')}

${proof}

--
Sent on ${sent}.
More figures: ${STATS}
What to do when mails do not arrive: ${DOCTOR}
`;
}

function htmlPart({ page, news, when, trouble, past, present, proof, sent }: Facts): string {
  return mailHtml({
    preheader: [...past, ...present].map(({ label, value }) => `${label} ${value}`).join(' · '),
    head: ['The figures', page],
    rows: [
      row(
        `<h1 ${textStyle('ink', 'margin:0;font-size:28px;line-height:34px;font-weight:800;letter-spacing:-.01em')}>${escapeHtml(news)}</h1>
<p ${textStyle('ink-quiet', 'margin:4px 0 0;font-size:16px;line-height:24px')}>${escapeHtml(when)}</p>`,
        [28, 0],
      ),
      ...(trouble.length > 0 ? [row(warning(trouble), [20, 0])] : []),
      row(table([...past, ...present]), [20, 0]),
      row(
        `<p ${textStyle('ink-quiet', 'margin:0;font-size:15px;line-height:22px')}>${escapeHtml(proof)}</p>`,
        [20, 28],
      ),
    ],
    titleBlock: [
      ['Sent', timeHtml(sent)],
      ['At the desk', `${commandHtml(STATS)}<br>${commandHtml(DOCTOR)}`],
    ],
  });
}

/** Orange is where something is stuck, here as on the page; as text it would be too pale. */
function warning(lines: string[]): string {
  const paragraphs = lines.map(
    (line, index) =>
      `<p ${textStyle('ink', `margin:${index === 0 ? 0 : 8}px 0 0;font-size:16px;line-height:24px;font-weight:600`)}>${escapeHtml(line)}</p>`,
  );
  const { signal } = PALETTE.light;
  return `<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0"><tr>
<td class="fill" width="4" bgcolor="${signal}" style="width:4px;background-color:${signal}"></td>
<td style="padding:2px 0 2px 16px">
${paragraphs.join('\n')}
</td></tr></table>`;
}

function table(figures: Figure[]): string {
  const lines = figures.map(
    ({ label, value, colour }) => `<tr>
<td class="rule" style="padding:9px 0;border-bottom:1px solid ${RULE}"><span ${textStyle('ink-quiet', 'font-size:16px;line-height:24px')}>${escapeHtml(label)}</span></td>
<td class="rule" align="right" style="padding:9px 0;border-bottom:1px solid ${RULE}"><strong ${textStyle(colour, 'font-size:20px;line-height:24px;font-weight:700;font-variant-numeric:tabular-nums')}>${escapeHtml(value)}</strong></td>
</tr>`,
  );
  return `<table width="100%" cellpadding="0" cellspacing="0" border="0">
${lines.join('\n')}
</table>`;
}
