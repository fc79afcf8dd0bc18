import { expect, test } from 'vitest';
import { readParts, type Words } from '../../publish/words.ts';
import { questions } from '../../site/content/questions.ts';
import { type Outline, outlineOf } from './outline.ts';

const leavesOf = (of: Outline): Exclude<Outline, { kind: 'group' | 'list' }>[] =>
  of.kind === 'group'
    ? of.fields.flatMap(leavesOf)
    : of.kind === 'list'
      ? of.entries.flatMap(leavesOf)
      : [of];

/** Every text, number and choice by its path. */
async function outlineWith(own: Words) {
  const leaves = outlineOf(await readParts(), own).flatMap(leavesOf);
  return new Map(leaves.map((leaf) => [leaf.path.join('.'), leaf]));
}

test('every field of every part is there, but what an owner never changes', async () => {
  const names = [...(await outlineWith({})).keys()];
  expect(names).toEqual(
    expect.arrayContaining(['replyHours', 'site.description', 'privacy.on', 'packages.items.0.price']),
  );
  expect(names.filter((name) => /\.id$|\.\d+\.drawing$/.test(name))).toEqual([]);
});

test('an entry that has moved is compared with itself, and a new one with nothing', async () => {
  const [first, second, ...others] = questions.items;
  const fresh = { question: 'Is it new?', answer: 'Yes.' };
  const outline = await outlineWith({ questions: { items: [fresh, second, first, ...others] } });
  const asked = (at: number) => outline.get(`questions.items.${at}.question`);
  expect(asked(0)).toMatchObject({ isOwn: true });
  expect(asked(0)).not.toHaveProperty('ours');
  expect(asked(1)).toMatchObject({ isOwn: false, ours: second?.question });
  expect(asked(2)).toMatchObject({ isOwn: false, ours: first?.question });
});

test('an entry with a new name is compared with the one that it replaces', async () => {
  const [first, ...others] = questions.items;
  const outline = await outlineWith({ questions: { items: [{ ...first, question: 'Mine?' }, ...others] } });
  expect(outline.get('questions.items.0.question')).toMatchObject({ isOwn: true, ours: first?.question });
});
