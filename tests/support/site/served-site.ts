import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { loadStaticFiles } from '../../../server/http/static.ts';
import { temporaryFolder } from '../service.ts';

export function servedSite(files: Record<string, string>) {
  const folder = join(temporaryFolder(), 'dist');
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
  const pages = loadStaticFiles(folder);
  return { pages, folder };
}
