import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import { beforeEach, describe, expect, test } from 'vitest';
import { makePhoto } from '../../publish/photo.ts';
import { recordOf } from '../../publish/publish.ts';
import { founderFiles, type Words, WordsError } from '../../publish/words.ts';
import { hero } from '../../site/content/hero.ts';
import { packages } from '../../site/content/packages.ts';
import { questions } from '../../site/content/questions.ts';
import { temporaryFolder } from '../../tests/support/service.ts';
import { Failed } from '../command/command.ts';
import { openDraft } from './draft.ts';
import { keepPhoto } from './photo.ts';

let folder: string;
beforeEach(() => {
  folder = temporaryFolder();
});

const file = (name: string) => join(folder, name);
const onDisk = (): Words => JSON.parse(readFileSync(file('words.json'), 'utf8'));
/** As on another device. What's published is what words.json has. */
function open(publish = async () => {}) {
  const record = async () => {
    await publish();
    const own = existsSync(file('words.json')) ? onDisk() : {};
    writeFileSync(await recordOf(folder), JSON.stringify({ sources: { own } }));
  };
  const draft = openDraft(folder, record, folder);
  const save = (key: string, was: unknown, value: unknown, names?: string[], apart?: unknown) =>
    draft.save({ key, was, value, names, apart });
  return { ...draft, save };
}
type Draft = ReturnType<typeof open>;

const HEADLINE = 'hero.headline';
const QUESTIONS = 'questions.items';
const PRICE = 'packages.items.0.price';
const NOW = new Date('2026-07-01T12:00:00Z');

const picture = (width = 900) =>
  sharp({ create: { width, height: 900, channels: 3, background: 'red' } })
    .jpeg()
    .toBuffer();
const valueIn = async (draft: Draft, key: string) =>
  (await draft.read()).fields.find((field) => field.key === key)?.value;
const refusedIn = async (draft: Draft) => (await draft.read()).draft.entries.filter(({ why }) => why);
const publish = async (draft: Draft, now = NOW) => draft.publish((await draft.read()).version, now);

describe('a text that she changes', () => {
  test('that was refused stays, marked, until it’s fixed; what’s fine is published without it, and without what she typed on the way to it', async () => {
    const draft = open();
    await draft.save(HEADLINE, hero.headline, 'On the way');
    await draft.save(HEADLINE, 'On the way', '');
    expect((await draft.read()).changes).toEqual([]);
    await draft.save(PRICE, packages.items[0]?.price, 14.5);
    await draft.save('hero.lead', hero.lead, 'Mine');
    const { changes } = await open().read();
    const what = 'Top of the page: Text below the headline';
    expect(changes).toEqual([{ key: 'hero.lead', what, before: hero.lead, after: 'Mine' }]);
    await publish(draft);
    expect(readFileSync(file('words.json'), 'utf8')).toBe('{\n  "hero": {\n    "lead": "Mine"\n  }\n}\n');
    expect((await open().read()).changes).toEqual([]);
    expect(await refusedIn(open())).toMatchObject([
      { key: HEADLINE, value: '', why: 'This is empty.' },
      { key: PRICE, value: 14.5, why: expect.stringContaining('whole number') },
    ]);
    await draft.save(PRICE, packages.items[0]?.price, 14, undefined, 14.5);
    await draft.save(HEADLINE, hero.headline, 'Mended', undefined, '');
    expect(await refusedIn(draft)).toEqual([]);
    await publish(draft);
    expect(existsSync(file('draft.json'))).toBe(false);
  });

  test('that was refused or too late stays, whatever other devices type there without having seen it', async () => {
    const draft = open();
    for (const value of ['', 'One', 'Two', 'Three']) await draft.save(HEADLINE, hero.headline, value);
    expect(await valueIn(draft, HEADLINE)).toBe('One');
    expect((await refusedIn(draft)).map(({ value }) => value)).toEqual(['', 'Two', 'Three']);
    const { items } = questions;
    const turned = items.toReversed();
    const [names = [], now] = [items, turned].map((all) => all.map(({ question }) => question));
    await draft.save(QUESTIONS, items, turned);
    for (const value of ['Moved', 'And on'])
      await draft.save(`${QUESTIONS}.0.answer`, items[0]?.answer, value, names, 'Moved');
    await draft.save(`${QUESTIONS}.0.answer`, turned[0]?.answer, 'Of the one that’s there', now);
    expect((await refusedIn(draft)).slice(3)).toMatchObject([{ value: 'And on', isMoved: true }]);
  });

  test('that was refused keeps no list from being changed once its place is gone', async () => {
    const { items } = questions;
    writeFileSync(file('words.json'), JSON.stringify({ questions: { items: [...items, items[0]] } }));
    await open().save(`${QUESTIONS}.${items.length}.answer`, items[0]?.answer, '');
    writeFileSync(file('words.json'), '{}');
    await open().save(QUESTIONS, items, items.toReversed());
    expect(await valueIn(open(), QUESTIONS)).toEqual(items.toReversed());
  });

  test('undoes nothing that was changed by hand meanwhile, or put there as a photo', async () => {
    const draft = open();
    await draft.save(HEADLINE, hero.headline, 'Mine');
    await draft.save(`${QUESTIONS}.1.answer`, questions.items[1]?.answer, 'My answer');
    await draft.save('hero.lead', hero.lead, 'Not this');
    await draft.save('hero.lead', 'Not this', hero.lead);
    // A choice that's taken back, and a list that's put back around a text of hers
    const list = 'packages.items';
    const [popular, purpose] = [`${list}.1.popular`, `${list}.0.purpose`];
    for (const is of [true, false]) await draft.save(popular, is, !is);
    await draft.save(purpose, packages.items[0]?.purpose, 'Mine.');
    const was = (await valueIn(draft, list)) as unknown[];
    await draft.save(list, was, was.toReversed());
    await draft.save(list, was.toReversed(), was);
    const items = packages.items.map((item, at) => ({ ...item, popular: at === 2 }));
    const byHand = { hero: { lead: 'By hand' }, founder: { name: 'By hand' }, packages: { items } };
    writeFileSync(file('words.json'), JSON.stringify(byHand));
    writeFileSync(file('founder.png'), '');
    expect((await draft.read()).changes.map(({ key }) => key)).not.toContain('founder.picture');
    await publish(draft);
    expect(onDisk()).toMatchObject({
      hero: { headline: 'Mine', lead: 'By hand' },
      founder: { name: 'By hand' },
      packages: { items: { 0: { purpose: 'Mine.' }, 1: { popular: false }, 2: { popular: true } } },
      questions: { items: { 1: { answer: 'My answer' } } },
    });
    expect(await founderFiles(folder)).toEqual(['founder.png']);
  });

  test('is what she typed last, even if its save overtook another', async () => {
    const { save, read } = openDraft(folder, async () => {}, folder);
    const send = (nth: number, value: string, from = 'page') =>
      save({ key: HEADLINE, was: hero.headline, value, tried: ['One', 'One more'], from, nth });
    await send(2, 'One more');
    await send(1, 'One');
    expect((await read()).changes).toMatchObject([{ after: 'One more' }]);
    await send(1, 'Other', 'another page');
    expect((await read()).changes).toMatchObject([{ after: 'Other' }]);
  });

  test('that leaves no room for the others is refused by its name, as is one that’s gone, and what was kept before stays', async () => {
    const draft = open();
    await draft.save(HEADLINE, hero.headline, 'Mine');
    for (const [key, was, letters] of [
      // The page can't have one so long, so it would be kept apart.
      [HEADLINE, 'Mine', 2_800_000],
      ['hero.lead', hero.lead, 100_000],
    ] as const)
      await expect(draft.save(key, was, 'é'.repeat(letters))).rejects.toThrow(/no room.*“Top of the page/);
    await expect(draft.save(HEADLINE, 'Mine', undefined)).rejects.toThrow('Look at it again');
    expect(await valueIn(draft, HEADLINE)).toBe('Mine');
  });
});

describe('publishing', () => {
  test('or throwing it away is refused if the draft isn’t the one that she looked through', async () => {
    const draft = open();
    await draft.save(HEADLINE, hero.headline, 'Mine');
    const { version } = await draft.read();
    await open().save('hero.lead', hero.lead, 'Theirs');
    await expect(draft.publish(version, NOW)).rejects.toThrow(Failed);
    await expect(draft.throwAway(version)).rejects.toThrow('Look through the list again');
    expect(existsSync(file('words.json'))).toBe(false);
    expect((await draft.read()).changes).toHaveLength(2);
  });

  test('that fails leaves the draft, and the words and photo that were published, though nothing can be written', async () => {
    writeFileSync(file('words.json'), '{"hero": {"lead": "Before"}}');
    writeFileSync(file('founder.webp'), 'published');
    const draft = open(async () => {
      for (const name of ['words.json', 'history.json', 'founder.webp', 'founder.jpg'])
        mkdirSync(file(`${name}.${process.pid}.unfinished`));
      throw new Error('SITE_URL is wrong');
    });
    await draft.save(HEADLINE, hero.headline, 'Mine');
    const { photo } = (await draft.read()).draft;
    await draft.save('founder.picture', photo, await keepPhoto(folder, await picture()));
    await expect(publish(draft)).rejects.toThrow('SITE_URL');
    expect(onDisk()).toEqual({ hero: { lead: 'Before' } });
    expect(await founderFiles(folder)).toEqual(['founder.webp']);
    expect(readFileSync(file('founder.webp'), 'utf8')).toBe('published');
    expect(readdirSync(folder).filter((name) => name.includes('.before'))).toEqual([]);
    const { changes, steps } = await draft.read();
    expect(steps).toEqual([]);
    expect(changes).toMatchObject([{ key: 'founder.picture' }, { after: 'Mine' }, { after: 'Before' }]);
  });

  test('leaves ten steps to undo, each with its time and what it changed', async () => {
    const draft = open();
    for (let day = 1; day <= 11; day += 1) {
      const was = await valueIn(draft, HEADLINE);
      await draft.save(HEADLINE, was, `Day ${day}`);
      await publish(draft, new Date(`2026-07-${String(day).padStart(2, '0')}T12:00:00Z`));
    }
    const { steps } = await open().read();
    expect(steps).toHaveLength(10);
    expect(steps.at(-1)).toMatchObject({
      at: '2026-07-11T12:00:00.000Z',
      changes: [{ key: HEADLINE, before: 'Day 10', after: 'Day 11' }],
    });
  });
});

test('what version 0.4 left, and what an update has removed, keeps nothing of hers from being published', async () => {
  writeFileSync(file('history.json'), JSON.stringify({ changes: [{}], done: 1, shipped: {} }));
  writeFileSync(file('words.json'), JSON.stringify({ hero: { again: 'Noch einmal', headline: 'Mine' } }));
  const entries = [
    { key: 'hero.pause', value: 'Stop' },
    { key: HEADLINE, value: 'Mine, too' },
  ];
  writeFileSync(file('draft.json'), JSON.stringify({ entries }));
  const draft = open();
  expect(await valueIn(draft, HEADLINE)).toBe('Mine, too');
  await publish(draft);
  expect(onDisk()).toEqual({ hero: { headline: 'Mine, too' } });
  expect((await draft.read()).steps).toHaveLength(1);
});

describe('a list', () => {
  const { items } = questions;

  test('is changed whole, unless another device has changed it, it needs its entries, or a text in it is marked, which would move', async () => {
    const [one, other] = [open(), open()];
    const turned = items.toReversed();
    const [, ...left] = turned;
    await other.save(QUESTIONS, items, turned);
    expect((await one.read()).changes).toMatchObject([{ key: QUESTIONS, before: items, after: turned }]);
    await expect(one.save(QUESTIONS, items, left)).rejects.toThrow('try again');
    const all = packages.items;
    await expect(one.save('packages.items', all, all.slice(0, 1))).rejects.toThrow('at least 2');
    await one.save(`${QUESTIONS}.0.answer`, turned[0]?.answer, '');
    await expect(one.save(QUESTIONS, turned, left)).rejects.toThrow('marked');
  });

  test('keeps nothing in the place of an entry that another device has moved', async () => {
    const draft = open();
    const all = packages.items;
    await draft.save('packages.items', all, all.toReversed());
    const names = all.map(({ title }) => title);
    const save = (part: string, was: unknown, value: unknown) =>
      draft.save(`packages.items.0.${part}`, was, value, names);
    await expect(save('popular', false, true)).rejects.toThrow('try again');
    await save('priceCaption', all[0]?.priceCaption, 'Mine');
    expect(await valueIn(draft, 'packages.items')).toEqual(all.toReversed());
    const [{ isLater, ...apart } = {}] = await refusedIn(draft);
    expect(apart).toMatchObject({ value: 'Mine', why: expect.stringContaining('another entry') });
    expect(isLater, 'there’s no choosing between two').toBeUndefined();
  });

  test('takes a change to an entry if its list only grew, or it only took another’s name', async () => {
    const draft = open();
    const all = packages.items;
    const names = all.map(({ title }) => title);
    const save = (part: string, was: unknown, value: unknown, at = 0) =>
      draft.save(`packages.items.${at}.${part}`, was, value, names);
    await save('title', names[0], names[1]);
    await save('priceCaption', all[0]?.priceCaption, 'Mine');
    await save('title', names[1], names[0]);
    const now = (await valueIn(draft, 'packages.items')) as unknown[];
    await draft.save('packages.items', now, [...now, now[2]]);
    await save('priceCaption', 'Mine', 'Mine, too');
    names.push(names[2] ?? '');
    await save('title', names[2], 'New', 3);
    await save('priceCaption', all[2]?.priceCaption, 'Its own', 3);
    for (const [at, caption] of [
      [0, 'Mine, too'],
      [3, 'Its own'],
    ])
      expect(await valueIn(draft, `packages.items.${at}.priceCaption`)).toBe(caption);
  });

  test('gives a choice that only one entry can have to the one that she chose last', async () => {
    const draft = open();
    const popular = async () => {
      const all = (await valueIn(draft, 'packages.items')) as { popular: boolean }[];
      return all.map((one) => one.popular);
    };
    await draft.save('packages.items.0.popular', false, true);
    expect(await popular()).toEqual([true, false, false]);
    await draft.save('packages.items.0.popular', true, false);
    expect(await popular(), 'the one of before doesn’t get it back').toEqual([false, false, false]);
  });
});

test('a photo is published with the draft, and taken back to the drawing', async () => {
  const draft = open();
  const large = keepPhoto(folder, await picture(12_000));
  await expect(large, 'by the server, which may have little memory').rejects.toThrow('12000 × 900 pixels');
  const name = await keepPhoto(folder, await picture());
  await draft.save('founder.picture', null, name);
  expect(await founderFiles(folder)).toEqual([]);
  await publish(draft);
  expect(await founderFiles(folder)).toEqual(['founder.jpg']);
  const gone = draft.save('founder.picture', name, 'a-backup-has-no-such.jpg');
  await expect(gone, 'or nothing could be published any more').rejects.toThrow(WordsError);
  expect(await makePhoto(file('founder.jpg'), 'photo.webp')).toBeTruthy();
  await draft.save('founder.picture', name, null);
  await publish(draft);
  expect(await founderFiles(folder)).toEqual([]);
  await draft.save('founder.picture', null, name);
  rmSync(file('earlier-photos'), { recursive: true });
  await expect(publish(draft)).rejects.toThrow('Choose it again');
});

test.each(['draft.json', 'history.json'])('%s that can’t be read is named and kept', async (name) => {
  const draft = open();
  const spoilt = ['{"own": {', '{"own": {}}'].map((text) => (path: string) => writeFileSync(path, text));
  for (const spoil of [...spoilt, mkdirSync]) {
    spoil(file(name));
    await expect(draft.read()).rejects.toThrow(name);
    await expect(draft.save(HEADLINE, hero.headline, 'Another')).rejects.toThrow(WordsError);
    rmSync(file(name), { recursive: true });
  }
  await draft.save(HEADLINE, hero.headline, 'Another');
  expect(await valueIn(draft, HEADLINE)).toBe('Another');
});
