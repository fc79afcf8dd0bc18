import type { ContactMessage } from '../contract/contact.ts';
import { inTime } from './clock.ts';
import type { Database } from './database.ts';
import { judgedWords } from './queries.ts';
import { LEARNED_MOST } from './suspicion.ts';

type Words = Pick<ContactMessage, 'name' | 'message'>;

/** Of spam and of the rest. Before that, a word in one message would decide too much. */
const FEWEST = 5;
/** A word in one message counts half as much as its numbers say. */
const DOUBT = 1;
const TELLING_WORDS = 20;
const MOST_WORDS = 400;
/** Turns the sum of log odds into points. */
const SCALE = 4;

/** How many messages of each sort it learns from, the newest: enough, and always as fast, however many there are. */
const LEARNED_FROM = 500;
/** How long other servers, and what's erased, may wait until it's learned anew. */
const FRESH_MS = 60_000;
/** A message waits at most this long for it. */
const PATIENCE_MS = 1_000;

/**
 * What the owner's judgements say of a message. What it learned is in memory alone, made anew from the stored messages,
 * so what's erased is unlearned.
 */
export function createLearner(database: Pick<Database, 'db' | 'clock'>) {
  let learned: Promise<(message: Words) => number> | undefined;
  let learnedAt = 0;
  return async (message: Words, now: number): Promise<number> => {
    if (!learned || Math.abs(now - learnedAt) >= FRESH_MS) {
      learnedAt = now;
      const learning = judgedWords(database, LEARNED_FROM).then(({ spam, leads }) => learn(spam, leads));
      learned = inTime(learning, PATIENCE_MS, database.clock);
    }
    return (await learned)(message);
  };
}

/**
 * Naive Bayes, after Graham and Robinson: how much a message is like the owner's spam, and unlike what she answered or called
 * no spam. In points, from -LEARNED_MOST to LEARNED_MOST.
 */
export function learn(spam: Words[], leads: Words[]): (message: Words) => number {
  if (spam.length < FEWEST || leads.length < FEWEST) return () => 0;
  const [inSpam, inLeads] = [countWords(spam), countWords(leads)];
  return (message) => {
    const odds = wordsOf(message).map((word) => {
      const [bad, good] = [inSpam.get(word) ?? 0, inLeads.get(word) ?? 0];
      const seen = bad + good;
      const [badShare, goodShare] = [bad / spam.length, good / leads.length];
      const share = seen === 0 ? 0.5 : badShare / (badShare + goodShare);
      const trusted = (DOUBT * 0.5 + seen * share) / (DOUBT + seen);
      return Math.log(trusted / (1 - trusted));
    });
    const telling = odds.toSorted((a, b) => Math.abs(b) - Math.abs(a)).slice(0, TELLING_WORDS);
    const sum = telling.reduce((total, each) => total + each, 0) / SCALE;
    return Math.min(LEARNED_MOST, Math.max(-LEARNED_MOST, sum));
  };
}

function countWords(messages: Words[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const message of messages)
    for (const word of wordsOf(message)) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}

/** Each word once. Scripts without spaces between words give pairs of characters. */
function wordsOf({ name, message }: Words): string[] {
  const found = `${name}\n${message}`
    .normalize('NFKC')
    .toLowerCase()
    .matchAll(/([\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]+)|[\p{L}\p{M}\p{N}$€%@]{2,40}/gu);
  const words = new Set<string>();
  for (const [word, dense] of found) {
    if (words.size >= MOST_WORDS) break;
    if (!dense) words.add(word);
    else for (let at = 0; at < dense.length - 1; at += 1) words.add(dense.slice(at, at + 2));
  }
  return [...words];
}
