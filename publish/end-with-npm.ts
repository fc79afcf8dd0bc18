// For npm's scripts, with `--import`. npm sends SIGTERM to the shell that it starts a script in. Debian's dash doesn't pass
// it on (measured with 0.5.12); other shells exec the program. So a program whose shell is gone acts as if it had got the
// signal itself. Windows has neither the signal nor new parents.

const LOOK_MS = 250;
const shell = process.ppid;
const timer = setInterval(() => {
  if (process.ppid === shell) return;
  clearInterval(timer);
  process.kill(process.pid, 'SIGTERM');
}, LOOK_MS).unref();
