import { cpSync, existsSync, mkdtempSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PROJECT_ROOT } from '../../../settings/settings.ts';

/** The project as somebody else would have just cloned and installed it: without words, settings or messages. */
export function copyProject(copy: string = mkdtempSync(join(tmpdir(), 'project-'))): string {
  for (const path of [
    'publish',
    'contract',
    'desk',
    'package-lock.json',
    'package.json',
    'program',
    'server',
    'settings',
    'site',
    'supabase',
    'tsconfig.json',
  ]) {
    // The program is built in the copy if it isn't here.
    if (existsSync(join(PROJECT_ROOT, path)))
      cpSync(join(PROJECT_ROOT, path), join(copy, path), { recursive: true });
  }
  symlinkSync(join(PROJECT_ROOT, 'node_modules'), join(copy, 'node_modules'));
  return copy;
}
