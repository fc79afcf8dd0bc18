import { chown, readFile, realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual, parseEnv } from 'node:util';
import * as v from 'valibot';
import { replaceFile } from '../../server/files.ts';
import { Failed } from '../command/command.ts';

/** `.env`, or where it leads if it's a link, which it stays. */
async function pathOf(root: string): Promise<string> {
  const named = join(root, '.env');
  return realpath(named).catch(() => named);
}

const lastGoodOf = async (root: string) => `${await pathOf(root)}.last-good`;
const LAST_GOOD = v.fallback(v.pipe(v.string(), v.parseJson(), v.record(v.string(), v.string())), {});

/** The mail settings before the last change of them; none if there was no change, or they can't be read. */
export async function readLastGood(root: string): Promise<Record<string, string>> {
  return v.parse(LAST_GOOD, await readFile(await lastGoodOf(root), 'utf8').catch(() => ''));
}

export async function keepLastGood(root: string, values: Record<string, string>): Promise<void> {
  await replaceFile(await lastGoodOf(root), JSON.stringify(values), 0o600);
}

/** Without quotes if it can be; a password may have any of them in it. */
const QUOTES = ['', "'", '"', '`'];

/** The text of `.env` with one value changed and all else as it was. @throws {Failed} if no line would be read as this value */
export function withValue(text: string, name: string, value: string): string {
  const before = { ...parseEnv(text) };
  if (value === (before[name] ?? '')) return text;
  const wanted = { ...before, [name]: value };
  const line = new RegExp(
    `^([ \\t]*(?:export[ \\t]+)?${name}[ \\t]*=[ \\t]*)(?:"[^"\\r\\n]*"|'[^'\\r\\n]*'|\`[^\`\\r\\n]*\`|.*?)([ \\t]+#.*)?$`,
    'gm',
  );
  const end = text.includes('\r\n') ? '\r\n' : '\n';
  const gap = text === '' || text.endsWith('\n') ? '' : end;
  // The last one counts. If the value runs over several lines, a new line at the end does.
  const places = [...text.matchAll(line)].reverse().map((found) => {
    const [all, head = '', comment = ''] = found;
    return [text.slice(0, found.index) + head, comment + text.slice(found.index + all.length)] as const;
  });
  for (const [head, tail] of [...places, [`${text}${gap}${name}=`, end] as const]) {
    for (const quote of QUOTES) {
      const after = head + quote + value + quote + tail;
      if (isDeepStrictEqual({ ...parseEnv(after) }, wanted)) return after;
    }
  }
  throw new Failed(`${name} wasn’t written: .env can’t hold all three of ' " and \` in one value.`);
}

/** In one step. It keeps its owner, who alone can read it from then on. */
export async function writeEnv(root: string, text: string): Promise<void> {
  const path = await pathOf(root);
  const old = await stat(path).catch(() => undefined);
  await replaceFile(path, text, 0o600);
  if (old && old.uid !== process.getuid?.()) await chown(path, old.uid, old.gid);
}
