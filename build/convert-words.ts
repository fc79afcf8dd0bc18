import { existsSync } from 'node:fs';
import { mkdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { runInNewContext } from 'node:vm';
import { USUAL_REPLY_HOURS } from '../contract/promise.ts';
import { refusals as english } from '../contract/refusal-sentences.ts';
import { shortPath } from '../settings/settings.ts';
import { faultsIn } from './check-words.ts';
import {
  isGroup,
  layOver,
  onlyOwn,
  ownFiles,
  type Part,
  readOwn,
  readParts,
  readText,
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
  dropStrangers(parts, old);
  const differing = [...parts].flatMap(([name, { ours }]) => {
    const own = onlyOwn(ours, layOver(ours, old[name]));
    return own === undefined ? [] : [[name, own]];
  });
  const { own } = await readOwn(wordsDir);
  await writeOwn(wordsDir, layOver<Words>(Object.fromEntries(differing), own));
  const kept = join(wordsDir, KEPT);
  await mkdir(kept, { recursive: true });
  for (const file of files) {
    const to = join(kept, file);
    await rename(join(wordsDir, file), existsSync(to) ? `${to}.${Date.now()}` : to);
  }
  return [
    `Your words are now in ${shortPath(join(wordsDir, WORDS_FILE))}; npm run desk changes them on the page. The old files are in ${shortPath(kept)}.`,
  ];
}

/** Takes out what the page once had. A check names one field of each group, so it's repeated. */
function dropStrangers(parts: ReadonlyMap<string, Part>, old: Words): void {
  for (let left = true; left; ) {
    left = false;
    for (const { path, isStranger } of faultsIn(parts, old)) {
      const group = valueAt(old, path.slice(0, -1));
      if (isStranger && isGroup(group)) left = delete group[String(path.at(-1))];
    }
  }
}

/** The data in an owner's file. It's a copy of one of ours from any version: imports, types and its shape are skipped. */
async function wordsOf(path: string): Promise<Words> {
  const source = await readText(path);
  const script = source
    .replace(/^\/\* For the build[\s\S]*/m, '')
    .replace(/^import\s[^;]*;/gm, (lines) => lines.replace(/[^\n]/g, ''))
    .replace(/^export const (\w+)\s*(?::[^=]*)?=/gm, 'var $1 =');
  // What a copy of ours took from its imports. A reply time that was made with REPLY_HOURS follows `replyHours` now.
  const words: Words = Object.create({ REPLY_HOURS: '{hours}', USUAL_REPLY_HOURS, english });
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
