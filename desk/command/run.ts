import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { PROJECT_ROOT } from '../../settings/settings.ts';
import { EXIT, Failed } from './failures.ts';

const COMMAND = join(PROJECT_ROOT, 'desk/desk-command.ts');

/**
 * What a command prints, in a process of its own: visitors are answered meanwhile, and its memory goes back. If nobody reads
 * on, it ends at its next word. @throws {Failed} once it has ended, with its words, if its exit code isn't fine
 */
export async function* runCommand(args: string[], fine: number[] = [EXIT.done]): AsyncGenerator<Uint8Array> {
  const child = spawn(process.execPath, [COMMAND, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  // One that never ran has no output.
  await once(child, 'spawn');
  const said = text(child.stderr);
  const ended = once(child, 'close');
  yield* child.stdout;
  const [code] = await ended;
  if (!fine.includes(code)) throw new Failed((await said).trim() || 'It ended before it was done.');
}
