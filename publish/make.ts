import { fork } from 'node:child_process';
import { once } from 'node:events';
import { constants, setPriority } from 'node:os';
import { writeFiles } from './folder.ts';
import { makeFonts } from './fonts.ts';
import { makePhoto } from './photo.ts';
import type { makeSharePicture } from './pictures.ts';
import { WordsError } from './words.ts';

/** False for anything that's there already. */
interface Job {
  folder: string;
  photo: Parameters<typeof makePhoto> | false;
  share: Parameters<typeof makeSharePicture> | false;
  fonts: Parameters<typeof makeFonts> | false;
}

const ENDED = { fault: 'Pictures and fonts couldn’t be made: the process for them was ended.' };

/** In a process that ends, since it takes much memory and blocks everything else. @throws WordsError for the owner to fix */
export async function makeApart(job: Job): Promise<void> {
  if (!job.photo && !job.share && !job.fonts) return;
  const child = fork(import.meta.filename, { execArgv: [] });
  // Visitors come first. At once, since threads that it has started keep theirs.
  if (child.pid) setPriority(child.pid, constants.priority.PRIORITY_BELOW_NORMAL);
  await once(child, 'spawn');
  child.send(job);
  const ended = once(child, 'exit').then(() => [ENDED]);
  const [{ fault, code }] = await Promise.race([once(child, 'message'), ended]);
  // With a code, it's the machine's fault, not the words'.
  if (fault !== undefined) throw code ? Object.assign(new Error(fault), { code }) : new WordsError(fault);
}

async function make({ folder, photo, share, fonts }: Job): Promise<object> {
  const made = await Promise.all([
    photo && makePhoto(...photo),
    share && import('./pictures.ts').then(({ makeSharePicture }) => makeSharePicture(...share)),
    fonts && makeFonts(...fonts),
  ]);
  for (const files of made) if (files) await writeFiles(folder, files);
  return {};
}

if (import.meta.main)
  process.once('message', async (job: Job) => {
    process.send?.(await make(job).catch(({ message, code }) => ({ fault: message, code })));
    process.disconnect();
  });
