import { cpSync, globSync, mkdirSync, mkdtempSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PROJECT_ROOT } from '../../../settings/settings.ts';

/** The program is built in the copy if it isn't here. */
const PARTS = '{contract,desk,package*.json,program,publish,server,settings,site,supabase,tsconfig.json}';

/** The project as if somebody had just cloned and installed it: without words, settings or messages. */
export function copyProject(copy = mkdtempSync(join(tmpdir(), 'project-'))): string {
  for (const path of globSync(PARTS, { cwd: PROJECT_ROOT }))
    cpSync(join(PROJECT_ROOT, path), join(copy, path), { recursive: true });
  // One by one, since an install in the copy would empty the target of a single link.
  mkdirSync(join(copy, 'node_modules'));
  for (const path of globSync('node_modules/{*,.*}', { cwd: PROJECT_ROOT }))
    symlinkSync(join(PROJECT_ROOT, path), join(copy, path));
  return copy;
}
