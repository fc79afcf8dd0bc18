import { expect, test } from 'vitest';
import { laidOver, readParts, type Words } from '../../publish/words.ts';
import { questions } from '../../site/content/questions.ts';
import { fieldsOf } from './outline.ts';

async function fieldsWith(own: Words) {
  const parts = await readParts();
  return new Map(fieldsOf(parts, laidOver(parts, own)).map((field) => [field.key, field]));
}

test('every field of every part is there, except what an owner never changes', async () => {
  const names = [...(await fieldsWith({})).keys()];
  expect(names).toEqual(
    expect.arrayContaining(['replyHours', 'site.description', 'privacy.on', 'packages.items.0.price']),
  );
  expect(names.filter((name) => /\.id$|\.\d+\.drawing$/.test(name))).toEqual([]);
});

test('an entry that has moved goes back to itself, a new one to nothing, a renamed one to the one that it replaces', async () => {
  const [first, second, third, ...others] = questions.items;
  const fresh = { question: 'Is it new?', answer: 'Yes.' };
  const items = [fresh, { ...second, answer: 'Mine' }, { ...first, answer: 'Mine' }, third, ...others];
  const moved = await fieldsWith({ questions: { items } });
  const ours = (at: number) => moved.get(`questions.items.${at}.answer`)?.ours;
  expect([ours(0), ours(1), ours(2)]).toEqual([undefined, second?.answer, first?.answer]);
  expect(ours(3), 'it’s ours already').toBeUndefined();
  const renamed = { questions: { items: [{ ...first, question: 'Mine?' }, second, third, ...others] } };
  expect((await fieldsWith(renamed)).get('questions.items.0.question')).toMatchObject({
    ours: first?.question,
  });
});
