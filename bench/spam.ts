import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { FIELDS } from '../contract/contact.ts';
import { learn } from '../messages/learner.ts';
import { reasonsToHold } from '../messages/suspicion.ts';
import { row } from './table.ts';

type Example = { isSpam: boolean; kind: string; name: string; email: string; message: string };

/** Invented messages. Whoever tuned the score looked at `tuning` alone; of `unseen`, only at the figures. */
export function readExamples(part: 'tuning' | 'unseen'): Example[] {
  const [, ...lines] = readFileSync(join(import.meta.dirname, `spam/${part}.tsv`), 'utf8')
    .trimEnd()
    .split('\n');
  return lines.map((line) => {
    const [is, kind = '', name = '', email = '', message = ''] = line.split('\t');
    return { isSpam: is === 'spam', kind, name, email, message: message.replaceAll('\\n', '\n') };
  });
}

/** How many messages are held back by their words alone, without the trap, the time, and copies. */
export function heldOf(examples: Example[], judged: Example[] = []) {
  const learned = learn(
    judged.filter(({ isSpam }) => isSpam),
    judged.filter(({ isSpam }) => !isSpam),
  );
  const count = (isSpam: boolean) => {
    const some = examples.filter((each) => each.isSpam === isSpam);
    const held = some.filter((each) => reasonsToHold(each, { learned: learned(each) }).length > 0);
    return { of: some.length, held: held.length, kinds: [...new Set(held.map(({ kind }) => kind))] };
  };
  return { leads: count(false), spam: count(true) };
}

/** Parts of texts that would keep a pattern busy for seconds if it backtracked. */
const HOSTILE = ['a ', '<a ', 'http://', 'your website has ', 'we are a ', 'аa ', 'aB', '$1,', 'open to a '];

/** On an owner's first day, and once she has judged all of the other part. */
export function spam(): void {
  const [tuning, unseen] = [readExamples('tuning'), readExamples('unseen')];
  say('known to whoever tuned it, first day', heldOf(tuning));
  say('unseen, first day', heldOf(unseen));
  say('unseen, trained', heldOf(unseen, tuning));
  const many = Array.from({ length: 10 }, () => tuning)
    .flat()
    .slice(0, 1000);
  const startedAt = performance.now();
  const learned = learn(
    many.filter(({ isSpam }) => isSpam),
    many.filter(({ isSpam }) => !isSpam),
  );
  const learnedAt = performance.now();
  for (const each of unseen) reasonsToHold(each, { learned: learned(each) });
  const each = (performance.now() - learnedAt) / unseen.length;
  row(
    'time',
    `${(learnedAt - startedAt).toFixed(0)} ms to learn 1,000 messages, ${each.toFixed(2)} ms to judge one`,
  );
  const slowest = HOSTILE.map((part) => {
    const message = part.repeat(FIELDS.message.max / part.length);
    const readAt = performance.now();
    reasonsToHold({ name: 'a', email: 'a@example.org', message });
    return performance.now() - readAt;
  });
  row('the slowest of hostile texts', `${Math.max(...slowest).toFixed(0)} ms to judge (wanted: below 1,000)`);
}

function say(name: string, { leads, spam }: ReturnType<typeof heldOf>): void {
  const share = ((100 * spam.held) / spam.of).toFixed(0);
  const kinds = leads.kinds.length > 0 ? ` (${leads.kinds.join(', ')})` : '';
  row(
    name,
    `leads held ${leads.held} of ${leads.of}${kinds}, spam held ${spam.held} of ${spam.of}: ${share}%`,
    {
      leads,
      spam,
    },
  );
}
