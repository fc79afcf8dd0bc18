import { cpSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../../build/vite.ts';

/**
 * A copy of the page's words for a test to edit, with what they import.
 *
 * @returns the folder of the words
 */
export function copyContent(folder: string): string {
  for (const path of ['site/content', 'site/ui/shape.ts', 'site/drawings', 'contract', 'package.json']) {
    cpSync(join(ROOT, path), join(folder, path), { recursive: true });
  }
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  return join(folder, 'site/content');
}
