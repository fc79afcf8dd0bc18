import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { copyKey, linkedHosts, reasonsToHold, whyHeld } from './suspicion.ts';

const LEAD = {
  name: 'Ana Souza',
  email: 'ana@example.org',
  message: 'Our stock is never where it should be.',
};
const say = (message: string, name = LEAD.name) => ({ ...LEAD, name, message });

/** What spam is full of, and leads say too. */
const VOCABULARY =
  `seo google ranking backlinks traffic guest post blog your website casino viagra crypto bitcoin loan investors
  free offer click here buy now unsubscribe dear sir urgent $5,000 100% price list whatsapp telegram verify password account
  казино займ продвижение 贷款 发票 préstamos référencement kredit I we you can need our warehouse stock please call`
    .trim()
    .split(/\s+/);

test('no words hold a message back, in whatever order, with one link or two', () => {
  const sentence = fc.array(fc.constantFrom(...VOCABULARY), { minLength: 1, maxLength: 60 });
  const links = fc.array(fc.constantFrom('https://seo.example/x?y=1', 'www.our-shop.example'), {
    maxLength: 2,
  });
  fc.assert(
    fc.property(sentence, links, fc.integer({ min: 2_000 }), (words, urls, openMs) => {
      const message = [...words, ...urls].join(' ');
      expect(reasonsToHold(say(message), { trap: false, openMs, others: 2 })).toEqual([]);
    }),
  );
});

test.each([
  ['trap', LEAD, { trap: true, openMs: 90_000 }],
  ['fast', LEAD, { openMs: 1_400 }],
  ['fast', LEAD, { openMs: 0 }],
  ['copies', LEAD, { others: 3 }],
  ['template', say('Hi {{first_name}}, I saw your page.'), {}],
  ['template', say('{Hi|Hello there} Ana, {we|I} have news.'), {}],
  ['template', say('Hello %FIRSTNAME%, a word about your page.'), {}],
  ['template', say('Dear [[name]], a word about your page.'), {}],
  ['template', say('Hey *|FNAME|*! Good news.'), {}],
  ['template', say('Hi {first_name}, good news.'), {}],
  ['template', say('We {build|make} {pages|sites} for {firms|shops} at {low|fair} prices.'), {}],
  ['template', say('Hello', '{{name}}'), {}],
  ['hidden', say('Buy pi\u200Blls and ca\u200Bsino chips'), {}],
  // а, е, о, с and і are Cyrillic.
  ['alphabets', say('Веst саsinо bоnus'), {}],
  ['alphabets', say('Buy vіаgrа and сiаlis'), {}],
  ['alphabets', say('Срочный кpeдит без спрaвoк'), {}],
  ['mostlyLinks', say('Best deals https://a.example https://b.example www.c.example/d'), {}],
  [
    'mostlyLinks',
    say('[url=https://a.example/1]order pills[/url] <a href="https://a.example/2">cheap bags</a>'),
    {},
  ],
] as const)('one sign is enough: %s', (sign, message, around) => {
  expect(reasonsToHold(message, around)).toEqual([sign]);
});

describe('a lead is not held for', () => {
  test.each([
    ['pasting a newsletter within 2.5 seconds', say('News: https://a.example'), { openMs: 2_500 }],
    ['sending the same as two others', LEAD, { others: 2 }],
    ['not using the page', LEAD, { openMs: undefined }],
  ])('%s', (_, message, around) => {
    expect(reasonsToHold(message, around)).toEqual([]);
  });

  test.each([
    ['a link and a question', 'https://our-shop.example – can you help us?'],
    ['a link alone', 'https://our-shop.example/'],
    [
      'links to its own pages',
      'https://shop.example/a https://shop.example/b https://shop.example/c – slow.',
    ],
    [
      'its spreadsheets',
      '3 files: https://docs.google.com/a https://docs.google.com/b https://drive.google.com/c',
    ],
    ['a formula', '={1,2;3,4}*VLOOKUP(A1;{"a"|"b"};2) gives #N/A. =IF(A1>5,"{Low|High}","")'],
    ['JSON', '{"name": "bolt", "status": "{open}", "url": "x"} is what our app sends'],
    [
      'single braces',
      '{reply} and {email}: our macro writes {reply} and {order} and {name} in place of the text.',
    ],
    ['a template of its own', 'Our invoices say “Dear {{first_name}}, thank you” instead of the name.'],
    ['a path of Windows', '%USERNAME% and %APPDATA%\\Excel are where it looks for the file.'],
    ['a list of values', 'The column is {Open|Picked|Shipped}, can you make it a dropdown?'],
    ['AppSheet’s template', 'Our report <<[Order ID]>> stays empty, as does <<Start: [Lines]>>.'],
    ['lists of values', 'Dropdowns {Red|Green}, {S|M|L}, {In|Out} in the app: how?'],
    ['a field of Word', '<<Name>> in Word isn’t merged'],
    ['emoji', 'Thanks 👩‍🔧👨‍👩‍👧 🏳️‍🌈 ❤️'],
    ['Persian', 'ما به یک سیستم نیاز داریم که می‌تواند موجودی انبار را نگه‌دارد'],
    ['Hindi', 'क्या आप हमारे गोदाम में मदद कर सकते हैं? र्‍य क्‍ष'],
    ['soft hyphens and a mark of byte order', '\uFEFFWare\u00ADhouse in\u00ADven\u00ADto\u00ADry'],
    ['one word with something unseen', 'Our filter lets “ca\u200Bsino” through. Why ca\u200Bsino?'],
    ['a line of unseen filling', 'Hello\n\u200C \u034F \u200B \u200D \u2060\nGoodbye'],
    ['one brand in other letters', 'We got a mail from “Раураl”. Is it real?'],
    ['slips on a keyboard with two alphabets', 'Наш cклад и cтол, cpoк.'],
    ['Russian with Latin stems', 'Excelевский файл, CRMки и PDFка: нужен учёт SKUшек'],
    ['Greek with units', 'Μετράμε σε μm, kΩ και ΔT στο Excel της αποθήκης'],
    ['formulas', 'αx + βx = 3, ρc, σx, ηp, μs, 5μL, 3μF, 5μm'],
    ['Chinese', '你好，我们的仓库库存总是不准，请问贵公司能帮忙吗？'],
  ])('%s', (_, message) => {
    expect(reasonsToHold(say(message), { openMs: 20_000 })).toEqual([]);
  });
});

test('the owner reads why, of earlier versions’ signs too', () => {
  expect(whyHeld(['sender', 'link:pills.example'])).toBe(
    'it has the same sender as a message that you called spam and it has the same link (pills.example) as a message that you called spam',
  );
  expect(whyHeld(['trap'])).toBe('it fills in a field that people don’t see');
  expect(whyHeld(['vice', 'constructor'])).toBe('another version of this site took its words for spam');
});

test('texts are compared without links, numbers and cases, and only if they say enough', () => {
  const offer = (number: number) =>
    say(`Offer ${number}: This is a text that is long enough to compare, see https://a${number}.example`);
  expect(copyKey(offer(1))).toBe(copyKey(offer(2)));
  expect(copyKey(offer(1))).toBe(
    copyKey(
      say(
        offer(1)
          .message.toUpperCase()
          .replace(/HTTP.*/, ''),
      ),
    ),
  );
  expect(copyKey(offer(1))).not.toBe(
    copyKey(say('Another text that is also long enough to compare with others')),
  );
  expect(copyKey(say('Please call me'))).toBeUndefined();
  expect(copyKey(say('Please call me back as soon as you can'))).toBeUndefined();
});

test('the hosts of links count, unless many people share them', () => {
  const text = `https://WWW.Pills.example:8080/a?b=c, (http://ana@buy.pills.example) www.shop.example. https://pies.example! https://pills.example/2
    https://docs.google.com/x https://www.google.ca https://youtu.be/x https://amazon.co.uk https://ca.linkedin.com/in/ana
    https://our.sharepoint.com/x https://apple.pies.example http:// https://localhost`;
  expect(linkedHosts(say(text))).toEqual([
    'pills.example',
    'buy.pills.example',
    'shop.example',
    'pies.example',
    'apple.pies.example',
  ]);
});

test('a hostile text is judged quickly', () => {
  const parts = [
    'a ',
    'a',
    '{a|',
    '{{name ',
    '<a ',
    '[a',
    'http://',
    'www.',
    'a\u200B',
    'aа',
    '%name',
    '##name',
    'a.b.',
  ];
  const startedAt = performance.now();
  for (const part of parts) {
    const message = part.repeat(10_000 / part.length);
    reasonsToHold(say(message, message.slice(0, 200)));
    linkedHosts(say(message));
    copyKey(say(message));
  }
  expect(performance.now() - startedAt).toBeLessThan(2_000);
});
