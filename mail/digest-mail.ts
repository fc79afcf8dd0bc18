import { shortId } from '../messages/short-id.ts';
import type { Settings } from '../settings/settings.ts';
import { answersFigure, timeToAnswer, waitWords } from './answers.ts';
import { astrayWords } from './astray.ts';
import { describeDay, describeShortly, describeTime } from './day.ts';
import type { Digest } from './digest.ts';
import { escapeHtml } from './escape-html.ts';
import * as sheet from './layout.ts';
import type { Mail } from './mail.ts';

const DOCTOR = 'npm run desk doctor';
const STATS = 'npm run desk stats';
const ASTRAY = 'npm run desk -- list --astray';
const UNANSWERED = 'npm run desk -- list --unanswered';

type Figure = { label: string; value: string; colour: sheet.TextColour };
type Needed = Pick<Settings, 'mailFrom' | 'contactEmail' | 'siteUrl' | 'timeZone' | 'digest' | 'mail'>;
type Context = { settings: Needed; now: number; destination: string };

/**
 * The owner's figures for the past day or week. Sent the same way as notifications: a morning without a digest means
 * that mail isn't working; a digest without messages means that nobody wrote.
 */
export function composeDigest(digest: Digest, { settings, now, destination }: Context): Mail {
  const { first, last } = digest;
  const { mailFrom, contactEmail, siteUrl, timeZone } = settings;
  const page = sheet.pageName(siteUrl);
  const news = count(digest.received, 'message');
  const when =
    first.name === last.name
      ? `on ${describeDay(last)}`
      : `from ${describeDay(first)} to ${describeDay(last)}`;
  const trouble = troubles(digest, timeZone);
  const figures = figuresOf(digest);
  const width = Math.max(...figures.map(({ label }) => label.length));
  const whoWaits = waitWords(digest);
  const waits = waitsOf(digest, now, timeZone);
  const others = digest.unanswered - waits.length;
  const proof = proofOf(digest.waiting, settings, destination);
  const sent = describeTime(now, timeZone);
  return {
    id: `digest-${last.name}`,
    from: mailFrom,
    to: { name: '', address: contactEmail },
    subject: `${news} ${when} (${page})`,
    messageId: `<digest-${last.name}-${now}@${mailFrom.address.split('@')[1]}>`,
    at: now,
    text: `${news} ${when}, on ${page}.

${whoWaits}
${waits.map(({ left, came, id }) => `  ${left.padEnd(11)}  ${id}  ${came}\n`).join('')}${others > 0 ? `  … and ${count(others, 'other')}\n` : ''}${trouble.map((line) => `\n! ${line}`).join('')}${trouble.length > 0 ? '\n' : ''}
${figures.map(({ label, value }) => `${label.padEnd(width)}  ${value}`).join('\n')}

${proof}

-- 
Sent on ${sent}.
${waits.length > 0 ? `Who waits for your answer: ${UNANSWERED}\n` : ''}More figures: ${STATS}
What to do when mails do not arrive: ${DOCTOR}
`,
    html: sheet.mailHtml({
      preheader: [
        ...(waits.length > 0 ? [whoWaits] : []),
        ...figures.map(({ label, value }) => `${label} ${value}`),
      ].join(' · '),
      head: ['The figures', page],
      rows: [
        sheet.row(sheet.headingHtml(escapeHtml(news), escapeHtml(when)), [28, 0]),
        sheet.row(waitsHtml(whoWaits, waits, others), [24, 0]),
        ...(trouble.length > 0 ? [sheet.row(sheet.warningHtml(trouble), [20, 0])] : []),
        sheet.row(tableHtml(figures), [20, 0]),
        sheet.row(
          `<p ${sheet.textStyle('ink-quiet', 'margin:0;font-size:15px;line-height:22px')}>${escapeHtml(proof)}</p>`,
          [20, 28],
        ),
      ],
      titleBlock: [
        ['Sent', sheet.timeHtml(sent)],
        ['At the desk', `${sheet.commandHtml(STATS)}<br>${sheet.commandHtml(DOCTOR)}`],
      ],
    }),
  };
}

function count(number: number, one: string, many = `${one}s`): string {
  return `${number === 0 ? 'No' : number.toLocaleString('en-CA')} ${number === 1 ? one : many}`;
}

type Wait = { left: string; isLate: boolean; came: string; id: string };

/** Without names or words: mail isn't erased with its message. */
function waitsOf({ longestWaits }: Digest, now: number, timeZone: string): Wait[] {
  return longestWaits.map(({ id, receivedAt, answerDueAt }) => ({
    left: timeToAnswer(answerDueAt, now),
    isLate: answerDueAt <= now,
    came: describeShortly(receivedAt, timeZone),
    id: shortId(id),
  }));
}

function figuresOf(digest: Digest): Figure[] {
  const { received, delivered, spam, counted, waiting, setAside } = digest;
  const answers = answersFigure(digest);
  const figure = (label: string, value: number | string, colour: sheet.TextColour = 'ink'): Figure => ({
    label,
    value: value.toLocaleString('en-CA'),
    colour,
  });
  const share = counted && counted.visits > 0 ? counted.messages / counted.visits : undefined;
  const style = { style: 'percent', maximumFractionDigits: share && share < 0.1 ? 1 : 0 } as const;
  return [
    figure('Received', received),
    figure('Delivered', delivered),
    ...(answers ? [figure(`${answers.label}, last 30 days`, answers.value)] : []),
    ...(counted
      ? [
          figure('Page views', counted.visits),
          figure('Conversion', share?.toLocaleString('en-CA', style) ?? '–'),
        ]
      : []),
    figure('Suspected spam', spam),
    figure('Not mailed yet', waiting, waiting > 0 ? 'signal-line' : 'ink'),
    figure('Set aside', setAside, setAside > 0 ? 'signal-line' : 'ink'),
  ];
}

function proofOf(waiting: number, { mail, digest }: Needed, destination: string): string {
  if (mail.via === 'folder')
    return `No mail is sent yet, since SMTP_URL isn’t set: this one is a file in ${destination}, as all others are.`;
  const now =
    waiting > 0
      ? `This mail went out through ${destination}, so what waits should follow soon.`
      : `Mail works: this one took the way of your messages, through ${destination}.`;
  return digest ? `${now} If the next one doesn’t come, your mails aren’t arriving.` : now;
}

function troubles(digest: Digest, timeZone: string): string[] {
  const { waiting, setAside, oldestUndeliveredAt } = digest;
  const lines = astrayWords(digest).map((words) => `${words}: ${ASTRAY}`);
  if (waiting > 0) {
    const wait = count(waiting, 'message waits', 'messages wait');
    lines.push(`${wait} to be mailed; each is tried again.`);
  }
  if (setAside > 0) {
    const were = count(setAside, 'message was', 'messages were');
    const them = setAside === 1 ? 'it' : 'them';
    lines.push(
      `${were} set aside, because the mail server doesn’t accept ${them}: npm run desk -- list --state set-aside`,
    );
  }
  if (oldestUndeliveredAt !== undefined)
    lines.push(`The oldest is of ${describeTime(oldestUndeliveredAt, timeZone)}. All are kept.`);
  return lines;
}

function waitsHtml(words: string, waits: Wait[], others: number): string {
  const lead = `<p ${sheet.textStyle('ink', 'margin:0;font-size:18px;line-height:26px;font-weight:700')}>${escapeHtml(words)}</p>`;
  if (waits.length === 0) return lead;
  const cell = `style="padding:9px 0;border-bottom:1px solid ${sheet.PALETTE.light.rule}"`;
  const lines = waits.map(
    ({ left, isLate, came, id }) => `<tr>
<td class="rule" ${cell}><span ${sheet.textStyle('ink-quiet', 'font-size:16px;line-height:24px;padding-right:8px;white-space:nowrap')}>${escapeHtml(came)}</span>
<span ${sheet.textStyle('ink-quiet', 'white-space:nowrap')}>${sheet.commandHtml(id)}</span></td>
<td class="rule" align="right" ${cell}><strong ${sheet.textStyle(isLate ? 'signal-line' : 'ink', 'font-size:16px;line-height:24px;font-weight:700;white-space:nowrap')}>${left}</strong></td>
</tr>`,
  );
  const rest = others > 0 ? `… and ${count(others, 'other')}. ` : '';
  return `${lead}
<table width="100%" cellpadding="0" cellspacing="0" border="0" style="margin-top:6px">
${lines.join('\n')}
</table>
<p ${sheet.textStyle('ink-quiet', 'margin:10px 0 0;font-size:15px;line-height:22px')}>${rest}Who they are:<br><span style="white-space:nowrap">${sheet.commandHtml(UNANSWERED)}</span></p>`;
}

function tableHtml(figures: Figure[]): string {
  const cell = `style="padding:9px 0;border-bottom:1px solid ${sheet.PALETTE.light.rule}"`;
  const lines = figures.map(
    ({ label, value, colour }) => `<tr>
<td class="rule" ${cell}><span ${sheet.textStyle('ink-quiet', 'font-size:16px;line-height:24px')}>${escapeHtml(label)}</span></td>
<td class="rule" align="right" ${cell}><strong ${sheet.textStyle(colour, 'font-size:20px;line-height:24px;font-weight:700;font-variant-numeric:tabular-nums')}>${escapeHtml(value)}</strong></td>
</tr>`,
  );
  return `<table width="100%" cellpadding="0" cellspacing="0" border="0">
${lines.join('\n')}
</table>`;
}
