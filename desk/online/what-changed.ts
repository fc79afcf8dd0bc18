import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual, parseEnv } from 'node:util';

// On the server, where each release is a folder: says in one line how a second one differs from a first. Values stay out
// of it, since settings have passwords.

const [before = '', after = ''] = process.argv.slice(2);
const read = (folder: string, name: string, otherwise = '{}') => {
  try {
    return readFileSync(join(folder, name), 'utf8');
  } catch {
    return otherwise;
  }
};

type Group = Record<string, unknown>;
const isGroup = (value: unknown): value is Group =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The names of what differs, at most two deep: `hero.headline`. */
function differing(one: Group, other: Group, deep = 2): string[] {
  const names = [...new Set([...Object.keys(one), ...Object.keys(other)])];
  return names.flatMap((name) => {
    const [a, b] = [one[name], other[name]];
    if (isDeepStrictEqual(a, b)) return [];
    if (deep === 1 || !(isGroup(a ?? {}) && isGroup(b ?? {}))) return [name];
    return differing((a ?? {}) as Group, (b ?? {}) as Group, deep - 1).map((inner) => `${name}.${inner}`);
  });
}

const json = (folder: string, name: string): Group => JSON.parse(read(folder, name)) as Group;
const words = differing(json(before, 'mine/words.json'), json(after, 'mine/words.json'));
const settings = differing(
  { ...parseEnv(read(before, '.env', '')) },
  { ...parseEnv(read(after, '.env', '')) },
  1,
);
const [was, is] = [before, after].map((folder) => String(json(folder, 'package.json').version));
const photos = [before, after].map((folder) => {
  const mine = join(folder, 'mine');
  try {
    return readdirSync(mine).flatMap((name) =>
      name.endsWith('.json') ? [] : [name, readFileSync(join(mine, name), 'base64')],
    );
  } catch {
    return [];
  }
});
const most = (names: string[]) =>
  names.length > 4 ? `${names.slice(0, 3).join(', ')} and ${names.length - 3} more` : names.join(', ');
const parts = [
  ...(was === is ? [] : [`version ${was} → ${is}`]),
  ...(words.length > 0 ? [`words: ${most(words)}`] : []),
  ...(isDeepStrictEqual(photos[0], photos[1]) ? [] : ['photo']),
  ...(settings.length > 0 ? [`settings: ${most(settings)}`] : []),
];
console.log(parts.join(' · ') || 'the same version, words and settings');
