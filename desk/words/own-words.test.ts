import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import sharp from 'sharp';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { PUBLISHED } from '../../publish/publish.ts';
import { founderFiles, type Words } from '../../publish/words.ts';
import { hero } from '../../site/content/hero.ts';
import { packages } from '../../site/content/packages.ts';
import type { Outline } from './outline.ts';
import { openOwnWords, Refused } from './own-words.ts';
import { keepPhoto } from './photo.ts';

let folder: string;
let shown: Words[];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'words-'));
  shown = [];
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** As after a start of the desk. */
const open = (show = async (own: Words) => void shown.push(own)) => openOwnWords(folder, show, folder);
const file = (name: string) => join(folder, name);
const onDisk = (): Words => JSON.parse(readFileSync(file('words.json'), 'utf8'));

const HEADLINE = ['hero', 'headline'];
const QUESTIONS = ['questions', 'items'];

function find(outlines: Outline[], path: string): Outline {
  for (const one of outlines) {
    if (one.path.join('.') === path) return one;
    const inner = one.kind === 'group' ? one.fields : one.kind === 'list' ? one.entries : [];
    if (inner.length > 0 && path.startsWith(one.path.join('.'))) {
      return find(inner, path);
    }
  }
  throw new Error(`There's no ${path}`);
}

async function list(words: ReturnType<typeof open>, path: string) {
  const found = find((await words.state()).parts, path);
  if (found.kind !== 'list') throw new Error(`${path} isn't a list`);
  return found;
}

describe('a text that she changes', () => {
  test.each([
    ['is too long', HEADLINE, hero.headline, 'x'.repeat(61)],
    ['is no whole number', ['packages', 'items', 0, 'price'], packages.items[0]?.price, 14.5],
  ])('is refused with its place if it %s, and nothing changes', async (_, path, was, value) => {
    const words = open();
    await expect(words.save(path, was, value)).rejects.toSatisfy(
      (error) => error instanceof Refused && path.join() === error.path?.join(),
    );
    expect((await words.state()).undo).toBeUndefined();
    expect(() => onDisk()).toThrow('ENOENT');
  });

  test('is taken back if the page can’t show it', async () => {
    const words = open(async (own) => {
      shown.push(own);
      if ('hero' in own) throw new Error('No glyph');
    });
    await expect(words.save(HEADLINE, hero.headline, 'Mine')).rejects.toThrow('No glyph');
    expect(shown.at(-1)).toEqual({});
    expect(() => onDisk()).toThrow('ENOENT');
  });

  test('is never put over what came in between, by hand or in another tab', async () => {
    const [one, other] = [open(), open()];
    await other.save(HEADLINE, hero.headline, 'Theirs');
    await expect(one.save(HEADLINE, hero.headline, 'Mine')).rejects.toThrow('“Theirs”');
    writeFileSync(file('words.json'), '{"hero": {"headline": "By hand", "kicker": "Too"}}');
    await one.save(['hero', 'lead'], hero.lead, 'Mine');
    expect(onDisk()).toEqual({ hero: { headline: 'By hand', kicker: 'Too', lead: 'Mine' } });
  });

  test('keeps what others say at the same moment', async () => {
    const words = open();
    await Promise.all([
      words.save(HEADLINE, hero.headline, 'Mine'),
      words.save(['hero', 'lead'], hero.lead, 'Mine, too'),
    ]);
    expect(onDisk()).toEqual({ hero: { headline: 'Mine', lead: 'Mine, too' } });
  });
});

describe('lists', () => {
  test('are refused a step on a list that was changed meanwhile', async () => {
    const words = open();
    const { seen } = await list(words, 'questions.items');
    await words.arrange(QUESTIONS, seen, 0, 'remove');
    await expect(words.arrange(QUESTIONS, seen, 0, 'remove')).rejects.toThrow(Refused);
  });

  test('keep as many entries as they need', async () => {
    const words = open();
    const { seen, least, entries } = await list(words, 'promises.items');
    expect(least).toBe(entries.length);
    await expect(words.arrange(['promises', 'items'], seen, 0, 'remove')).rejects.toThrow('exactly 4');
  });
});

describe('undo', () => {
  test('doesn’t take back what was changed by hand since', async () => {
    const words = open();
    await words.save(HEADLINE, hero.headline, 'Mine');
    writeFileSync(file('words.json'), '{"hero": {"headline": "By hand"}}');
    await expect(words.undo()).rejects.toThrow('outside');
    expect(onDisk()).toEqual({ hero: { headline: 'By hand' } });
  });

  test('after any changes leads back to where they began', async () => {
    const change = fc.oneof(
      fc.record({
        path: fc.constantFrom(['hero', 'lead'], ['hero', 'kicker'], ['brand', 'name']),
        value: fc.constantFrom('A', 'B', undefined),
      }),
      fc.record({ at: fc.nat(1), how: fc.constantFrom('add', 'remove', 'up', 'down') }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 6 }), async (changes) => {
        rmSync(folder, { recursive: true, force: true });
        folder = mkdtempSync(join(tmpdir(), 'words-'));
        const words = open();
        for (const one of changes) {
          const { parts } = await words.state();
          if ('how' in one) {
            const { seen } = await list(words, 'questions.items');
            await words.arrange(QUESTIONS, seen, one.at, one.how as 'add');
            continue;
          }
          const leaf = find(parts, one.path.join('.'));
          await words.save(one.path, 'value' in leaf ? leaf.value : undefined, one.value);
        }
        while ((await words.state()).undo) await words.undo();
        expect(shown.at(-1) ?? {}).toEqual({});
      }),
      { numRuns: 25 },
    );
  });
});

describe('a crash', () => {
  test('between the history and the words leaves a step that wasn’t taken out of the history', async () => {
    const words = open();
    await words.save(HEADLINE, hero.headline, 'One');
    const before = readFileSync(file('words.json'));
    await words.save(HEADLINE, 'One', 'Two');
    writeFileSync(file('words.json'), before);
    const again = open();
    await again.undo();
    expect(onDisk()).toEqual({});
    await again.redo();
    expect(onDisk()).toEqual({ hero: { headline: 'One' } });
  });

  test('during a step back leaves that step to be taken', async () => {
    const words = open();
    await words.save(HEADLINE, hero.headline, 'One');
    const before = readFileSync(file('words.json'));
    await words.undo();
    writeFileSync(file('words.json'), before);
    await open().undo();
    expect(onDisk()).toEqual({});
  });

  test('that leaves half a history costs the steps back, and no word', async () => {
    await open().save(HEADLINE, hero.headline, 'One');
    writeFileSync(file('history.json'), '{"changes":[{"wh');
    const words = open();
    expect((await words.state()).undo).toBeUndefined();
    await words.save(HEADLINE, 'One', 'Two');
    expect(onDisk()).toEqual({ hero: { headline: 'Two' } });
  });
});

test('what differs from the published page is listed, each with both texts', async () => {
  writeFileSync(file(PUBLISHED), JSON.stringify({ sources: { own: { hero: { headline: 'Built' } } } }));
  const words = open();
  await words.save(HEADLINE, hero.headline, 'Mine');
  const { unpublished } = await words.state();
  expect(unpublished).toEqual([
    { path: HEADLINE, what: expect.stringContaining('eadline'), now: 'Mine', other: 'Built' },
  ]);
});

test('where a new version changed what she had changed, she sees both', async () => {
  const words = open();
  await words.save(HEADLINE, hero.headline, 'Mine');
  expect((await words.state()).updated).toEqual([]);
  const history = JSON.parse(readFileSync(file('history.json'), 'utf8'));
  history.shipped['hero.headline'] = 'What an earlier version said';
  writeFileSync(file('history.json'), JSON.stringify(history));
  const { updated } = await open().state();
  expect(updated).toMatchObject([{ path: HEADLINE, now: 'Mine', other: hero.headline }]);
});

test('a photo is shown without what the camera noted, undone to the drawing, and redone', async () => {
  const jpeg = await sharp({ create: { width: 832, height: 1040, channels: 3, background: '#14418f' } })
    .withExif({ IFD0: { Make: 'Camera' }, IFD3: { GPSLatitude: '45/1 30/1 0/1' } })
    .jpeg()
    .toBuffer();
  const words = open();
  await words.setPhoto(await keepPhoto(folder, jpeg));
  const [name = ''] = await founderFiles(folder);
  expect((await sharp(jpeg).metadata()).exif).toBeDefined();
  expect((await sharp(readFileSync(file(name))).metadata()).exif).toBeUndefined();
  await open().undo();
  expect(await founderFiles(folder)).toEqual([]);
  await open().redo();
  expect(await founderFiles(folder)).toEqual([name]);
  await words.setPhoto(undefined);
  expect((await words.state()).photo).toBe(false);
  rmSync(file('earlier-photos'), { recursive: true });
  await expect(words.undo()).rejects.toThrow(Refused);
});
