import { cpSync, globSync, mkdtempSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PROJECT_ROOT } from '../../../settings/settings.ts';

/** The program is built in the copy if it isn't here. */
const PARTS = '{contract,desk,package*.json,program,publish,server,settings,site,supabase,tsconfig.json}';

/** The project as somebody else would have just cloned and installed it: without words, settings or messages. */
export function copyProject(copy = mkdtempSync(join(tmpdir(), 'project-'))): string {
  for (const path of globSync(PARTS, { cwd: PROJECT_ROOT }))
    cpSync(join(PROJECT_ROOT, path), join(copy, path), { recursive: true });
  symlinkSync(join(PROJECT_ROOT, 'node_modules'), join(copy, 'node_modules'));
  return copy;
}
