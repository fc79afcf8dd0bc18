// For npm's scripts, with `--import`. npm hands SIGTERM to the shell that it starts a script in. Debian's dash hands nothing
// on (measured with 0.5.12); other shells put the program in their own place. So whoever finds that the shell is gone does as
// if it had got the signal. Windows has neither the signal nor new parents.

const LOOK_MS = 250;
const shell = process.ppid;
const timer = setInterval(() => {
  if (process.ppid === shell) return;
  clearInterval(timer);
  process.kill(process.pid, 'SIGTERM');
}, LOOK_MS).unref();
