import { styleText } from 'node:util';
import { bold, dim, lineWidth, loud, pad, printable, wrap } from '../terminal.ts';
import type { Finding, Question, Verdict } from './check.ts';

export const QUESTIONS: Record<Question, string> = {
  messages: 'Will I get my messages?',
  safe: 'Are they safe?',
  mine: 'Is this site mine yet?',
};
/** Where what's said about `.env` and starting anew is done, for a site that her laptop put online. */
export const ON_SERVER =
  'This is about your server. Settings are changed on your laptop: npm run desk, Settings, “Save and publish”.';
const LOOK = 'Have a look at what’s marked.';
export const ANSWERS: Record<Question, Record<Verdict, string>> = {
  messages: { ok: 'Yes.', look: LOOK, wrong: 'Not at the moment.' },
  safe: { ok: 'Yes.', look: LOOK, wrong: 'No.' },
  mine: { ok: 'Yes.', look: 'Not quite.', wrong: 'No.' },
};

/** Readable on light and dark terminals. */
const BADGE: Record<Verdict, Parameters<typeof styleText>[0]> = {
  ok: 'green',
  look: ['black', 'bgYellow'],
  wrong: ['bold', 'whiteBright', 'bgRed'],
};

const WORD_WIDTH = 'wrong'.length;

export function counts(findings: readonly Finding[]): Record<Verdict, number> {
  const counted = { ok: 0, look: 0, wrong: 0 };
  for (const { verdict } of findings) counted[verdict] += 1;
  return counted;
}

export function worst(findings: readonly Finding[]): Verdict {
  const { look, wrong } = counts(findings);
  return wrong > 0 ? 'wrong' : look > 0 ? 'look' : 'ok';
}

/** For a terminal; without colours in a pipe. */
export function report(findings: readonly Finding[]): string {
  if (findings.length === 0) return 'Nothing to check: your settings don’t use this.\n';
  const whatWidth = Math.max(...findings.map(({ what }) => what.length)) + 2;
  // On each side of the word there's one space inside the badge and one outside.
  const margin = 2 + WORD_WIDTH + 2 + whatWidth;
  const block = (text: string, indent: number) =>
    wrap(printable(text), lineWidth() - indent).replaceAll('\n', `\n${' '.repeat(indent)}`);
  const describe = ({ verdict, what, found, todo }: Finding, before: Finding | undefined) => {
    // Several findings about one thing show its name once.
    const name = before?.what === what ? '' : what;
    const badge = `${styleText(BADGE[verdict], ` ${pad(verdict, WORD_WIDTH)} `)} `;
    const head = ` ${badge}${bold(pad(name, whatWidth))}${block(found, margin)}\n`;
    const advice = todo ? `${' '.repeat(margin)}${dim('→ ')}${block(todo, margin + 2)}\n` : '';
    // A blank line around advice, but not between findings about one thing.
    return `${before && name && (todo || before.todo) ? '\n' : ''}${head}${advice}`;
  };
  const sections = (['messages', 'safe', 'mine'] as const).map((question) => {
    const own = findings.filter((finding) => finding.question === question);
    if (own.length === 0) return '';
    const answer = ANSWERS[question][worst(own)];
    const lines = own.map((finding, index) => describe(finding, own[index - 1]));
    const shown = worst(own) === 'wrong' ? loud(answer) : answer;
    return `${bold(QUESTIONS[question])}  ${shown}\n\n${lines.join('')}\n\n`;
  });
  const { ok, look, wrong } = counts(findings);
  const summary = [
    ...(wrong > 0 ? [loud(`${wrong} wrong`)] : []),
    ...(look > 0 ? [`${look} to look at`] : []),
    `${ok} well`,
  ].join(', ');
  return `\n${sections.join('')}${summary}.\n`;
}
