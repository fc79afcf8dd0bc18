import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { TELL_PARENT } from '../../build/build.ts';
import { ROOT } from '../../build/vite.ts';

const PROGRAMS = {
  /** As `npm start` does it, which then shows the new page. */
  build: ['build/build.ts', TELL_PARENT],
  publish: ['desk/online/online.ts', '--yes', TELL_PARENT],
  backup: ['desk/desk-command.ts', 'backup'],
};

export type LongWork = ReturnType<typeof createLongWork>;

/** Work of minutes in a process of its own, one at a time. Pages ask how far it is, and read its last words. */
export function createLongWork(done: () => void) {
  let child: ChildProcess | undefined;
  let [far, fault] = ['', ''];
  return {
    look: () => ({ isRunning: child !== undefined, far, fault }),
    start(what: keyof typeof PROGRAMS): void {
      if (child) return;
      [far, fault] = ['', ''];
      const [program = '', ...args] = PROGRAMS[what];
      child = spawn(process.execPath, [join(ROOT, program), ...args], {
        stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      });
      const tell = (text: unknown) => {
        far = String(text).trim();
      };
      child.on('message', tell);
      child.stdout?.on('data', tell);
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
