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
  expect(learn(bad, good.slice(1))(say('magnets for wholesale buyers'))).toBe(0);
  const learned = learn(bad, good);
  expect(learned(say('wholesale magnets'))).toBeGreaterThan(0.5);
  expect(learned(say('our installers lose pallets'))).toBeLessThan(-0.5);
  expect(learned(say('unknown words'))).toBe(0);
});

test.each([
  ['fast', 'Hi', { openMs: 2_999 }, { openMs: 3_000 }],
  ['copies', 'Hi', { sameText: 4 }, { sameText: 3 }],
  ['learned', 'Hi', { learned: 0.1 }, { learned: 0 }],
] as const)('the sign %s begins where it should', (sign, message, over, under) => {
  expect(reasonsToHold(say(message), { trap: true, ...over })).toEqual(['trap', sign]);
  expect(reasonsToHold(say(message), { trap: true, ...under })).toEqual(['trap']);
});

test.each([
  ['letters', 'RtYuIoPlKjHg QwErTyUiOp', 'RtYuIoPlKjHg and a real sentence besides'],
  ['letters', 'RtYuIoPl', 'McDonaldMc'],
  ['letters', 'RtYuIoPl to hello', 'RtYuIoPl to warehouses'],
  ['links', 'See www.example.com', 'See example dot com'],
  ['mostlyLinks', 'https://a.example https://b.example one two three', 'https://a.example one'],
  ['mostlyLinks', 'https://a.example https://b.example a b c', 'https://a.example https://b.example a b c d'],
  [
    'mostlyLinks',
    'https://a.example https://b.example <b>',
    'https://a.example https://b.example a<b>b<i>c<u>d',
  ],
  ['search', 'More organic traffic', 'Traffic in the warehouse'],
  ['money', 'A quick loan', 'We loan tools'],
  ['vice', 'Free spins', 'It spins'],
  ['site', 'I found your website', 'I found you'],
  ['offer', 'A free audit', 'An audit'],
  ['push', 'Click here', 'It clicks'],
  ['threat', 'Your domain expires today', 'Your domain'],
  ['greeting', 'Dear Sir', 'Dear Ms. Ives'],
  ['price', 'Only $5', 'Five dollars'],
  ['alphabets', 'саsinо', 'casino'],
  ['alphabets', 'саsinо', 'Нам нужен учёт в Excel'],
] as const)('the sign %s is seen in “%s” and not in “%s”', (sign, message, other) => {
  expect(reasonsToHold(say(message), { trap: true })).toContain(sign);
  expect(reasonsToHold(say(other), { trap: true })).not.toContain(sign);
});

test('a name of random letters is a sign, and tags and links are no words', () => {
  expect(reasonsToHold(say('Hi', 'RtYuIoPlKjHg'), { trap: true })).toEqual(['trap', 'name']);
  expect(reasonsToHold(say('<b>a</b> https://a.example https://b.example'), { trap: true })).toContain(
    'mostlyLinks',
  );
});

test.each([
  ['two signs of one point each', 'Click here: https://a.example', {}, false],
  ['the same with a third', 'Dear Sir, click here: https://a.example', {}, true],
  [
    'the same from somebody who needs something',
    'Dear Sir, we need you. Click here: https://a.example',
    {},
    false,
  ],
  ['the same from the trade', 'Dear Sir, stock! Click here: https://a.example', {}, false],
  [
    'three links for one',
    'Click here: https://a.example https://b.example https://c.example one two three four',
    {},
    false,
  ],
  ['code around a link', 'Click here: <a href="https://a.example">one</a>', { openMs: 0 }, true],
  ['the same without code', 'Click here: https://a.example', { learned: 0.5 }, false],
  ['further words of one sign', 'SEO, backlinks, guest post', { learned: 0.1 }, true],
  ['one of them', 'SEO', { learned: 0.9 }, false],
  ['what the owner answers is like it', 'Dear Sir, click here: https://a.example', { learned: -0.1 }, false],
  [
    'no more than three further words',
    'Click here, click now, buy now, order now, opt out',
    { learned: 0.4 },
    false,
  ],
  ['the third of them', 'Click here, click now, buy now, order now', { learned: 0.5 }, true],
  ['two mixed words', 'hеllo nоrth', { openMs: 0 }, false],
  ['three mixed words', 'hеllo nоrth dаy', { openMs: 0 }, true],
] as const)('points add up: %s', (_, message, around, held) => {
  expect(reasonsToHold(say(message), around).length > 1).toBe(held);
});

test('eight words are enough to compare, and seven are not', () => {
  expect(copyKey(say('one two three four five six seven eight'))).toMatch(/^text [\w-]{43}$/);
  expect(copyKey(say('one two three four five six seven 8'))).toBeUndefined();
  expect(copyKey(say('one two three four five six seven eight'))).not.toBe(
    copyKey(say('on etwo three four five six seven eight')),
  );
  expect(copyKey(say('ONE two three four five six seven eight'))).toBe(
    copyKey(say('one two, three four five six seven eight! https://a.example')),
  );
});

test('a word counts by how much more often it stands in one sort, and the more for each message', () => {
  const saying = (...messages: string[]) => messages.map((message) => ({ name: '', message }));
  const learned = learn(
    saying('magnets rare both', 'magnets both', 'magnets', 'magnets', 'magnets 库存表'),
    saying('pallets both', ...Array.from({ length: 9 }, () => 'pallets')),
  );
  const points = (message: string, name = '') => learned({ name, message });
  // ln(11), ln(3), and so on, over four.
  expect(points('magnets')).toBeCloseTo(0.599, 3);
  expect(points('MAGNETS magnets', 'magnets')).toBeCloseTo(0.599, 3);
  expect(points('', 'magnets')).toBeCloseTo(0.599, 3);
  expect(points('rare')).toBeCloseTo(0.275, 3);
  expect(points('pallets')).toBeCloseTo(-0.761, 3);
  expect(points('both')).toBeCloseTo(0.242, 3);
  expect(points('a b c')).toBe(0);
  expect(points('存表')).toBeCloseTo(0.275, 3);
  expect(points('表存')).toBe(0);
});

test('what it learned is worth four points at most, and twenty words at most tell', () => {
  const words = Array.from({ length: 30 }, (_, index) => `word${index}`);
  const many = (message: string, count: number) =>
    Array.from({ length: count }, () => ({ name: '', message }));
  const all = words.join(' ');
  const points = learn(many(all, 5), many('pallets', 5));
  expect(points({ name: '', message: all })).toBe(4);
  expect(learn(many('pallets', 5), many(all, 5))({ name: '', message: all })).toBe(-4);
  const mild = learn([...many(all, 1), ...many('x', 4)], [...many(all, 1), ...many('pallets', 9)]);
  expect(mild({ name: '', message: words.slice(0, 19).join(' ') })).toBeCloseTo(19 * 0.113, 2);
  expect(mild({ name: '', message: all })).toBeCloseTo(20 * 0.113, 2);
  expect(mild({ name: '', message: `${all} pallets` })).toBeCloseTo(19 * 0.113 - 0.736, 2);
  const filler = Array.from({ length: 400 }, (_, index) => `other${index}`).join(' ');
  expect(points({ name: '', message: `${filler} word1` })).toBe(0);
});
