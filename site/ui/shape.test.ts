import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import * as v from 'valibot';
import { describe, expect, test } from 'vitest';
import { labelled, lettering, titleOf, traitsOf, words } from './shape.ts';

const CONTENT = join(import.meta.dirname, '../content');
/** What programs read, so a changed letter would break it. */
const CODE = /\.(id|href|language|countryCode|currency|\d+\.drawing)$/;

interface Leaf {
  path: string;
  value: string;
  shape: v.GenericSchema;
}

/** The shape of what's inside. */
function within(shape: v.GenericSchema, key: string): v.GenericSchema | undefined {
  if ('entries' in shape) return Reflect.get(Object(shape.entries), key);
  if ('item' in shape) return shape.item as v.GenericSchema;
  if ('items' in shape) return Reflect.get(Object(shape.items), key);
  return 'wrapped' in shape ? within(shape.wrapped as v.GenericSchema, key) : undefined;
}

function leaves(path: string, value: unknown, shape: v.GenericSchema | undefined): Leaf[] {
  if (!shape) throw new Error(`${path} has no shape`);
  if (typeof value === 'string') return [{ path, value, shape }];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => leaves(`${path}.${key}`, inner, within(shape, key)));
}

const modules = await Promise.all(
  readdirSync(CONTENT).map((file): Promise<Record<string, unknown>> => import(join(CONTENT, file))),
);
const parts = modules.flatMap(({ shape, ...words }) =>
  Object.entries(words).map(([name, value]) => ({
    name,
    value,
    shape: (shape as Record<string, v.GenericSchema>)[name] as v.GenericSchema,
  })),
);
const shipped = parts.flatMap(({ name, value, shape }) => leaves(name, value, shape));

describe('the shipped words', () => {
  test('keep to their shapes, and each part has a title', () => {
    for (const { name, value, shape } of parts) {
      expect(v.safeParse(shape, value).issues, name).toBeUndefined();
      expect(v.getTitle(shape), name).toMatch(/\S/);
    }
  });

  // So a mark put into the text for an editor never reaches a code.
  test('take a private character for their first only where people read them as text', () => {
    expect(shipped.length).toBeGreaterThan(200);
    for (const { path, value, shape } of shipped) {
      const marked = v.safeParse(shape, `\uE001${value.slice(1)}`).success;
      expect(marked, path).toBe(!CODE.test(path) && !traitsOf(shape).lettered);
    }
  });
});

describe('a field', () => {
  test('is called by its title, or else by its name in words', () => {
    expect(titleOf('emailLabel', words)).toBe('Email label');
    expect(titleOf('kicker', labelled(words, 'Small line', 'Above the headline'))).toBe('Small line');
  });

  test('keeps what it’s called, its help and its traits apart', () => {
    const shape = labelled(words, 'Small line', 'Above the headline');
    expect(v.getDescription(shape)).toBe('Above the headline');
    expect(traitsOf(shape).places).toContain('country');
  });

  test('drawn letter by letter refuses what the alphabet lacks, and names it', () => {
    expect(v.safeParse(lettering, 'ПАК').issues?.[0]?.message).toMatch(/^has “П”/);
  });
});
