import { mkdir, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { runInNewContext } from 'node:vm';
import { refusals as english } from '../contract/refusal-sentences.ts';
import { shortPath } from '../settings/settings.ts';
import { faultsIn } from './check-words.ts';
import {
  isGroup,
  layOver,
  onlyOwn,
  ownFiles,
  readOwn,
  readParts,
  valueAt,
  WORDS_FILE,
  type Words,
  WordsError,
  writeOwn,
} from './owners-words.ts';

/** Where the old files are kept, beside words.json. */
const KEPT = 'before-words-json';

/**
 * Until version 0.3, words were TypeScript files with the names of ours. Puts what differs from ours into words.json,
 * and the files into a folder beside it. What words.json already says wins.
 *
 * @returns what the owner should know, one sentence each
 * @throws WordsError if a file can't be read; nothing has been changed then
 */
export async function convertOldWords(wordsDir: string): Promise<string[]> {
  const files = (await ownFiles(wordsDir)).filter((name) => name.endsWith('.ts'));
  if (files.length === 0) return [];
  const parts = await readParts();
  const old: Words = {};
  for (const file of files) Object.assign(old, await wordsOf(join(wordsDir, file)));
  const differing = [...parts].flatMap(([name, { ours }]) => {
    const own = onlyOwn(ours, layOver(ours, old[name]));
    return own === undefined ? [] : [[name, own]];
  });
  const { own } = await readOwn(wordsDir);
  const words = layOver(Object.fromEntries(differing), own) as Words;
  for (const { path, isStranger } of faultsIn(parts, words)) {
    const group = valueAt(words, path.slice(0, -1));
    if (isStranger && isGroup(group)) delete group[String(path.at(-1))];
  }
  await writeOwn(wordsDir, words);
  const kept = join(wordsDir, KEPT);
  await mkdir(kept, { recursive: true });
  for (const file of files) await rename(join(wordsDir, file), join(kept, file));
  return [
    `Your words are now in ${shortPath(join(wordsDir, WORDS_FILE))}; npm run desk changes them on the page. The old files are in ${shortPath(kept)}.`,
  ];
}

/** The data in an owner's file. It's a copy of one of ours from any version: imports, types and its shape are skipped. */
async function wordsOf(path: string): Promise<Words> {
  const source = await readFile(path, 'utf8');
  const script = source
    .replace(/^\uFEFF/, '')
    .replace(/^\/\* For the build[\s\S]*/m, '')
    .replace(/^import\s[^;]*;/gm, (lines) => lines.replace(/[^\n]/g, ''))
    .replace(/^export const (\w+)\s*(?::[^=]*)?=/gm, 'var $1 =');
  // What a copy of ours took from its imports.
  const words: Words = Object.create({ REPLY_HOURS: 24, english });
  try {
    runInNewContext(script, words, { filename: path });
  } catch (error) {
    const [, line] = /:(\d+)/.exec((error as Error).stack ?? '') ?? [];
    throw new WordsError(
      `${shortPath(path)}${line ? `, near line ${line}` : ''}, can’t be read (${(error as Error).message}). Mend it or move it away; then its words go into words.json.`,
    );
  }
  // Objects from another context have another Object.prototype.
  return structuredClone({ ...words });
}
