import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { listen } from '../../../server/http/listen.ts';
import { loadStaticFiles } from '../../../server/http/static.ts';
import type { Service } from '../../../server/service.ts';
import { untilEnd } from '../network/until-end.ts';
import { temporaryFolder } from '../service/open-test-service.ts';

export function servedSite(files: Record<string, string>) {
  const folder = join(temporaryFolder(), 'dist');
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
  const pages = loadStaticFiles(folder);
  return {
    pages,
    folder,
    async listen({ app }: Pick<Service, 'app'>): Promise<string> {
      const { port } = await untilEnd(listen(app.fetch, { host: '127.0.0.1', port: 0 }, pages));
      return `http://127.0.0.1:${port}`;
    },
  };
}
