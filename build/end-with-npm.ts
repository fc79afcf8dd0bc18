/*
 * For npm's scripts, with `--import`. npm hands SIGTERM to the shell that it starts a script in. Some shells put the
 * program in their own place; Debian's dash doesn't, and dies alone (measured with 0.5.12). Whoever is its child then
 * does as if it had got the signal. Windows has neither the signal nor new parents.
 */
const LOOK_MS = 250;
const shell = process.ppid;

const timer = setInterval(() => {
  if (process.ppid === shell) return;
  clearInterval(timer);
  process.kill(process.pid, 'SIGTERM');
}, LOOK_MS).unref();
