import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DIST, isPublished } from '../../publish/publish.ts';
import { about, type Check, type CheckContext, type Finding } from './check.ts';
import { ask } from './web.ts';

const subject = about('mine', 'page', 'The page');

/** Whether the build is up to date, and whether the server is serving it. */
export const page: Check = {
  about: subject,
  run: async (context, signal) => [await checkPage(context, signal, DIST)],
};

export async function checkPage(
  { settings, ownUrl }: Pick<CheckContext, 'settings' | 'ownUrl'>,
  signal: AbortSignal,
  dist: string,
): Promise<Finding> {
  const built = await readFile(join(dist, 'index.html'), 'utf8').catch(() => undefined);
  if (built === undefined) return subject.wrong('It hasn’t been built yet.', 'Build and start it: npm start');
  const todo = 'Build it and start it again: npm start';
  // Words that can't be read aren't on the page either.
  if (!(await isPublished(settings, dist).catch(() => false)))
    return subject.look('Words, files or settings have changed since it was built.', todo);
  const shown = await ask(`${ownUrl}/`, signal);
  return 'text' in shown && shown.status === 200 && shown.text !== built
    ? subject.look('The server still shows the page from before the last build.', todo)
    : subject.ok('Built from your words and settings as they are now.');
}
