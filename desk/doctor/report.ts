import { styleText } from 'node:util';
import wrapAnsi from 'wrap-ansi';
import { bold, dim, lineWidth, loud, pad, printable, warm } from '../terminal.ts';
import { type Finding, QUESTIONS, type Question, type Verdict } from './finding.ts';

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

const PAINT: Record<Verdict, (text: string) => string> = {
  ok: (text) => styleText('green', text),
  look: warm,
  wrong: loud,
};

const VERDICT_WIDTH = 7;

/** The worst of them; nothing found is nothing wrong. */
export function worst(findings: readonly Finding[]): Verdict {
  const has = (verdict: Verdict) => findings.some((finding) => finding.verdict === verdict);
  return has('wrong') ? 'wrong' : has('look') ? 'look' : 'ok';
}

export function counts(findings: readonly Finding[]): Record<Verdict, number> {
  const of = (verdict: Verdict) => findings.filter((finding) => finding.verdict === verdict).length;
  return { ok: of('ok'), look: of('look'), wrong: of('wrong') };
}

/** For a terminal, or a pipe without its colours. */
export function report(findings: readonly Finding[]): string {
  const whatWidth = Math.max(...findings.map(({ what }) => what.length)) + 2;
  const margin = 2 + VERDICT_WIDTH + whatWidth;
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
      const head = `  ${PAINT[finding.verdict](pad(finding.verdict, VERDICT_WIDTH))}${bold(pad(name, whatWidth))}${block(found, margin)}\n`;
      return todo ? `${head}${' '.repeat(margin)}${dim('→ ')}${block(todo, margin + 2)}\n` : head;
    });
    return `${bold(words)}  ${PAINT[verdict](answers[verdict])}\n\n${lines.join('')}\n`;
  });
  const { ok, look, wrong } = counts(findings);
  const summary = [
    ...(wrong > 0 ? [loud(`${wrong} wrong`)] : []),
    ...(look > 0 ? [warm(`${look} to look at`)] : []),
    `${ok} well`,
  ].join(', ');
  return `\n${sections.join('')}${summary}.\n`;
}
