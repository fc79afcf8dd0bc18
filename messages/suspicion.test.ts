import { expect, test } from 'vitest';
import { heldOf, readExamples } from '../bench/spam.ts';
import { learn } from './learner.ts';
import { copyKey, reasonsToHold, whyHeld } from './suspicion.ts';

const LEAD = {
  name: 'Ana Souza',
  email: 'ana@example.org',
  message: 'Our stock is never where it should be.',
};
const say = (message: string, name = LEAD.name) => ({ ...LEAD, name, message });

test('at most 1 lead in 100 is held back, and 3 of 4 spam messages on the first day, 8 of 10 once trained', () => {
  const [tuning, unseen] = [readExamples('tuning'), readExamples('unseen')];
  expect(tuning.length + unseen.length).toBeGreaterThan(300);
  for (const [judged, least] of [
    [[], 0.75],
    [tuning, 0.8],
  ] as const) {
    const { leads, spam } = heldOf(unseen, [...judged]);
    expect(leads.held).toBeLessThanOrEqual(leads.of / 100);
    expect(spam.held).toBeGreaterThanOrEqual(spam.of * least);
  }
});

test('no sign but the trap holds a message back alone, however strong', () => {
  expect(reasonsToHold(LEAD, { learned: 4 })).toEqual([]);
  expect(reasonsToHold(LEAD, { sameText: 1000 })).toEqual([]);
  expect(reasonsToHold(LEAD, { openMs: 0 })).toEqual([]);
  expect(reasonsToHold(say('SEO backlinks, organic traffic, guest post, domain authority.'))).toEqual([]);
  expect(reasonsToHold(LEAD, { trap: true })).toEqual(['trap']);
});

test.each([
  [
    'a link in a draft that was sent right after a reload',
    'This is our shop: https://example.com',
    { openMs: 500 },
  ],
  ['code, in a hurry', '<b>Hi</b> <a href="https://example.com">us</a>', { openMs: 500 }],
  ['a link, sent again and again', 'This is our shop: https://example.com', { sameText: 20 }],
  ['the same three times', 'This is our shop: https://example.com', { openMs: 500, sameText: 3 }],
])('what a lead may well do is not enough: %s', (_, words, around) => {
  expect(reasonsToHold(say(words), around)).toEqual([]);
});

test('several signs hold a message back, and the owner reads which', () => {
  const signs = reasonsToHold(
    say('Buy cheap pills online, no prescription: https://a.example https://b.example'),
  );
  expect(signs).toEqual(['links', 'vice']);
  expect(whyHeld(signs)).toBe('it has links and it speaks of gambling, sex, drugs or fakes');
  expect(whyHeld(['of-a-newer-version'])).toBe('of-a-newer-version');
});

test('words whose letters come from two alphabets are read as they look', () => {
  // Each а, е, о and с is Cyrillic.
  expect(reasonsToHold(say('Веst саsinо bоnus оnlinе, сliсk hеrе'))).toContain('alphabets');
  expect(reasonsToHold(say('Веst оnlinе саsinо bоnus, сliсk hеrе'))).toContain('vice');
  expect(reasonsToHold(say('Нам нужен учёт в Excel и CRM-система, сколько стоит?'))).toEqual([]);
});

test('messages that differ in links and numbers are copies; short ones are not compared', () => {
  const offer = (number: number) =>
    say(`Hello number ${number}, this is a long enough text, see https://a${number}.example`);
  expect(copyKey(offer(1))).toBe(copyKey(offer(2)));
  expect(copyKey(offer(1))).not.toBe(
    copyKey(say('This is another text that is also long enough to compare')),
  );
  expect(copyKey(say('Please call me'))).toBeUndefined();
});

test('it learns only from enough of both, and then pulls both ways', () => {
  const many = (message: string, count: number) => Array.from({ length: count }, () => say(message));
  const [bad, good] = [many('magnets for wholesale buyers', 5), many('installers lose pallets', 5)];
  expect(learn(bad.slice(1), good)(say('magnets for wholesale buyers'))).toBe(0);
  const learned = learn(bad, good);
  expect(learned(say('wholesale magnets'))).toBeGreaterThan(0.5);
  expect(learned(say('our installers lose pallets'))).toBeLessThan(-0.5);
  expect(learned(say('unknown words'))).toBe(0);
});
