import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '..');

/** The rooms of the engine. Each may import from itself and from those before it. */
const ENGINE = [
  ...[
    'contract',
    'settings',
    'server/files.ts',
    'server/log.ts',
    'server/messages',
    'server/mail',
    'server/outbox',
  ],
  ...['server/http', 'server'],
];

/** What source in other rooms may import, besides itself. A file that may import more has its own line. */
const OTHERS: Record<string, string[]> = {
  supabase: ['server'],
  site: ['contract'],
  publish: ['site', 'server/files.ts', 'settings', 'contract'],
  desk: ['publish', ...ENGINE],
  // Serves her pages.
  'server/main.ts': ['desk', ...ENGINE],
  // Runs the server.
  'publish/start.ts': ['settings', 'server'],
  // What the editor calls each text.
  'desk/words/outline.ts': ['site', 'publish'],
};

/** A folder, or one in a house that has several. The log and the file writing that rooms share stand by themselves. */
function roomOf(path: string): string {
  if (path === 'server/log.ts' || path === 'server/files.ts') return path;
  const [house = '', room = '', rest] = path.split('/');
  return house === 'server' && rest !== undefined ? `${house}/${room}` : house;
}

const HOUSES = new Set([...ENGINE, ...Object.keys(OTHERS)].map((room) => room.split('/')[0]));

const IMPORTS = new Map(
  globSync(`{${[...HOUSES]}}/**/*.{ts,tsx,mjs}`, { cwd: ROOT })
    .filter((path) => !/\.(test|spec)\./.test(path))
    .map((path) => {
      const source = readFileSync(join(ROOT, path), 'utf8');
      const named = source.matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g);
      return [path, [...named].map(([, to = '']) => join(dirname(path), to))];
    }),
);

test('imports between rooms point one way', () => {
  const wrong = [...IMPORTS].flatMap(([path, imported]) => {
    const room = roomOf(path);
    const allowed = [room, ...(OTHERS[path] ?? OTHERS[room] ?? ENGINE.slice(0, ENGINE.indexOf(room)))];
    return imported.filter((to) => !allowed.includes(roomOf(to))).map((to) => `${path} imports ${to}`);
  });
  expect(wrong).toEqual([]);
  expect(IMPORTS.size).toBeGreaterThan(150);
});

test('no module of the engine has its own state: what changes is passed in', () => {
  const engine = [...IMPORTS.keys()].filter((path) => /^(server|contract|settings)\//.test(path));
  const changing = engine.filter((path) => /^(export )?let /m.test(readFileSync(join(ROOT, path), 'utf8')));
  expect(changing).toEqual([]);
});

test('only server/messages/ queries the database itself, or names one of its tables', () => {
  const names = ['contact_message', 'last_done', "from 'kysely'"];
  const others = [...IMPORTS.keys(), ...globSync('bench/*.ts', { cwd: ROOT })];
  const named = others
    .filter((path) => roomOf(path) !== 'server/messages')
    .filter((path) => names.some((name) => readFileSync(join(ROOT, path), 'utf8').includes(name)));
  expect(named).toEqual([]);
});
