import { readFileSync } from 'node:fs';

/*
 * For npm's scripts, with `--import`. npm hands SIGTERM to the shell that it starts a script in, and if it's killed, to
 * nobody. Debian's dash hands nothing on (measured with 0.5.12); other shells put the program in their own place. So whoever
 * finds that either is gone does as if it had got the signal. Windows has neither the signal nor new parents.
 */
const LOOK_MS = 250;
const shell = process.ppid;
const npm = parentOf(shell) ?? shell;

const timer = setInterval(() => {
  if (process.ppid === shell && isRunning(npm)) return;
  clearInterval(timer);
  process.kill(process.pid, 'SIGTERM');
}, LOOK_MS).unref();

/** Where there's no /proc, there's no dash. */
function parentOf(pid: number): number | undefined {
  try {
    const [, name, parent] = /\((.*)\) \S (\d+)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? [];
    return name?.endsWith('sh') ? Number(parent) : undefined;
  } catch {
    return undefined;
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}
