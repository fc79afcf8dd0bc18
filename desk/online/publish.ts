import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { TELL_PARENT } from '../../build/build.ts';
import { ROOT } from '../../build/vite.ts';

export type Publishing = ReturnType<typeof createPublishing>;

/**
 * Puts the page online; without a server it's built here, and `npm start` shows it. It's done once at a time, in a process
 * of its own. Every page can ask how far it is, what was last said and why it failed.
 */
export function createPublishing(isOnline: () => boolean, done: () => void) {
  let child: ChildProcess | undefined;
  let [far, fault] = ['', ''];
  return {
    look: () => ({ isRunning: child !== undefined, far, fault }),
    start(): void {
      if (child) return;
      [far, fault] = ['', ''];
      const [program = '', ...yes] = isOnline() ? ['desk/online/online.ts', '--yes'] : ['build/build.ts'];
      child = spawn(process.execPath, [join(ROOT, program), ...yes, TELL_PARENT], {
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
        done();
      });
    },
  };
}
