import { styleText } from 'node:util';
import wrapAnsi from 'wrap-ansi';
import { bold, dim, lineWidth, loud, pad, printable } from '../terminal.ts';
import { type Finding, QUESTIONS, type Question, type Verdict } from './check.ts';

const HEADINGS: Record<Question, { question: string; answers: Record<Verdict, string> }> = {
  messages: {
    question: 'Will I get my messages?',
    answers: { ok: 'Yes.', look: 'Look at what is marked.', wrong: 'Not as things are.' },
  },
  safe: {
    question: 'Are they safe?',
    answers: { ok: 'Yes.', look: 'Look at what is marked.', wrong: 'No.' },
  },
  mine: {
    question: 'Is this site mine yet?',
    answers: { ok: 'Yes.', look: 'Not quite.', wrong: 'No.' },
  },
};

/** Each names its background, or is legible on any: yellow letters on a white terminal are not. */
const BADGE: Record<Verdict, (text: string) => string> = {
  ok: (text) => styleText('green', text),
  look: (text) => styleText(['black', 'bgYellow'], text),
  wrong: (text) => styleText(['bold', 'whiteBright', 'bgRed'], text),
};

const ANSWER: Record<Verdict, (text: string) => string> = {
  ok: (text) => styleText('green', text),
  look: (text) => text,
  wrong: loud,
};

const WORD_WIDTH = 'wrong'.length;
/** With a blank on either side in the badge's colour, and one after it. */
const BADGE_WIDTH = WORD_WIDTH + 3;

/** The worst of them; nothing found is nothing wrong. */
export function worst(findings: readonly Finding[]): Verdict {
  const has = (verdict: Verdict) => findings.some((finding) => finding.verdict === verdict);
  return has('wrong') ? 'wrong' : has('look') ? 'look' : 'ok';
}

/** Whether a program that watches over the site is told that all is well. */
export function exitsWell(findings: readonly Finding[], strict: boolean): boolean {
  const verdict = worst(findings);
  return verdict === 'ok' || (verdict === 'look' && !strict);
}

export function counts(findings: readonly Finding[]): Record<Verdict, number> {
  const of = (verdict: Verdict) => findings.filter((finding) => finding.verdict === verdict).length;
  return { ok: of('ok'), look: of('look'), wrong: of('wrong') };
}

/** For a terminal, or a pipe without its colours. */
export function report(findings: readonly Finding[]): string {
  if (findings.length === 0) return 'Nothing to look at: your settings do not use this.\n';
  const whatWidth = Math.max(...findings.map(({ what }) => what.length)) + 2;
  const margin = 1 + BADGE_WIDTH + whatWidth;
  const block = (text: string, indent: number) =>
    wrapAnsi(printable(text), lineWidth() - indent, { hard: true }).replaceAll(
      '\n',
      `\n${' '.repeat(indent)}`,
    );

  const sections = QUESTIONS.map((question) => {
    const own = findings.filter((finding) => finding.question === question);
    if (own.length === 0) return '';
    const verdict = worst(own);
    const { question: words, answers } = HEADINGS[question];
    const lines = own.map((finding, index) => {
      const { what, found, todo } = finding;
      // Several findings about one thing stand under its name together.
      const name = own[index - 1]?.what === what ? '' : what;
      const badge = ` ${pad(finding.verdict, WORD_WIDTH)} `;
      const head = ` ${BADGE[finding.verdict](badge)}${' '.repeat(BADGE_WIDTH - badge.length)}${bold(pad(name, whatWidth))}${block(found, margin)}\n`;
      const lines = todo ? `${head}${' '.repeat(margin)}${dim('→ ')}${block(todo, margin + 2)}\n` : head;
      // What asks for something stands apart, unless it is about the same as the line before.
      return index > 0 && name && (todo || own[index - 1]?.todo) ? `\n${lines}` : lines;
    });
    return `${bold(words)}  ${ANSWER[verdict](answers[verdict])}\n\n${lines.join('')}\n\n`;
  });
  const { ok, look, wrong } = counts(findings);
  const summary = [
    ...(wrong > 0 ? [loud(`${wrong} wrong`)] : []),
    ...(look > 0 ? [`${look} to look at`] : []),
    `${ok} well`,
  ].join(', ');
  return `\n${sections.join('')}${summary}.\n`;
}
