import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { TELL_PARENT } from '../build/build.ts';
import { ROOT } from '../build/vite.ts';

export type Publishing = ReturnType<typeof createPublishing>;

/**
 * Builds the page, once at a time and in a process of its own; what serves it shows it then. Every page can ask how far it
 * is, what was last said and why it failed.
 */
export function createPublishing() {
  let child: ChildProcess | undefined;
  let [far, fault] = ['', ''];
  return {
    look: () => ({ isRunning: child !== undefined, far, fault }),
    start(): void {
      if (child) return;
      [far, fault] = ['', ''];
      child = spawn(process.execPath, [join(ROOT, 'build/build.ts'), TELL_PARENT], {
        stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
      });
      child.on('message', (line) => {
        far = String(line);
      });
      child.stderr?.on('data', (text) => {
        fault += text;
      });
      child.once('close', (code) => {
        fault = code === 0 ? '' : fault.trim() || `It ended with ${code}.`;
        child = undefined;
      });
    },
  };
}
