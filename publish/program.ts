import { hash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { compileFunction } from 'node:vm';
import { PROJECT_ROOT } from '../settings/settings.ts';
import { type ByPath, damagedIn } from './folder.ts';
import type { Words } from './words.ts';

// Before anything loads React: its development build is five times slower, and doesn't go with the other.
process.env.NODE_ENV ??= 'production';

/** What's built once for each version of the source, without any words of hers, address or key. */
export const PROGRAM = join(PROJECT_ROOT, 'program');
/** In it: the browser's scripts and their licences, and the icons, which every page gets as they are. */
export const FOR_PAGES = join(PROGRAM, 'page');
/** In it: the desk's style sheet and typeface, and the script and styles of its editor. */
export const FOR_DESK = join(PROGRAM, 'desk');
export const MANIFEST = 'program.json';

type Renderer = typeof import('./render.tsx');

export interface Program {
  /** Tells versions of the source apart. */
  version: string;
  /** The path of the browser's entry script. */
  script: string;
  /** The pages' inline script. */
  afterFirstPaint: string;
  /** Those inlined in every page, and those that load later. */
  styles: { first: string; later: string };
  /** The styles in files of drawings, and in the picture for shared links. */
  drawings: string;
  sharePicture: string;
  /** The colours of each theme, by their names. */
  light: Record<string, string>;
  dark: Record<string, string>;
  /** For all files but the manifest itself. */
  sizes: ByPath;
}

const SOURCES = [
  '{site,contract,publish,desk/{sheet,words}}/**/*.{ts,tsx,css}',
  '{package-lock,tsconfig}.json',
];

/** A hash of what a program is made of, as it's on disk now. */
export function versionOf(): string {
  const paths = globSync(SOURCES, { cwd: PROJECT_ROOT, exclude: ['**/*.test.ts'] }).sort();
  return hash('sha256', paths.map((path) => path + readFileSync(join(PROJECT_ROOT, path), 'utf8')).join(''));
}

/** Whether the program is there, whole, and made of the sources as they are. */
export async function isBuilt(): Promise<boolean> {
  try {
    const { version, sizes } = await readProgram();
    return version === versionOf() && (await damagedIn(PROGRAM, sizes)).length === 0;
  } catch {
    // Also while another process puts one in place
    return false;
  }
}

export async function readProgram(): Promise<Program> {
  return JSON.parse(await readFile(join(PROGRAM, MANIFEST), 'utf8')) as Program;
}

export type OpenProgram = Program & Renderer;

/** The program with its renderer, for all words of a page by part. */
export const openProgram = async (words: Words): Promise<OpenProgram> => ({
  ...(await readProgram()),
  ...openRenderer(PROGRAM, words),
});

/** Its modules are loaded again for each call, since what they hold depends on the words. */
export function openRenderer(folder: string, words: Words): Renderer {
  const path = join(folder, 'renderer.cjs');
  const code = readFileSync(path, 'utf8');
  const run = compileFunction(code, ['require', 'module', 'exports', 'WORDS'], { filename: path });
  const module = { exports: {} };
  run(createRequire(path), module, module.exports, words);
  return module.exports as Renderer;
}
