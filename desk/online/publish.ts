import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { TELL_PARENT } from '../../build/build.ts';
import { ROOT } from '../../build/vite.ts';

export type Publishing = ReturnType<typeof createPublishing>;

/**
 * Makes the page that visitors see: online if there's a server, else here, as `npm start` does it. It's done once at a
 * time, and every page can look how far it is.
 */
export function createPublishing(isOnline: () => boolean, done: () => void) {
  let child: ChildProcess | undefined;
  let far = '';
  let fault = '';
  return {
    isOnline,
    look: () => ({ isRunning: child !== undefined, far, fault }),
    start(): void {
      if (child) return;
      const [program = '', ...more] = isOnline() ? ['desk/online/online.ts', '--yes'] : ['build/build.ts'];
      child = spawn(process.execPath, [join(ROOT, program), ...more, TELL_PARENT], {
        stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
      });
      far = '';
      let said = '';
      child.stderr?.setEncoding('utf8').on('data', (text: string) => {
        said += text;
      });
      child.on('message', (line) => {
        far = String(line);
      });
      child.once('close', (code) => {
        fault = code === 0 ? '' : said.trim() || `It ended with ${code}.`;
        child = undefined;
        done();
      });
    },
  };
}
