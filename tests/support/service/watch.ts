import type { ChildProcess } from 'node:child_process';

/** What a process writes, as it arrives, in total and on each stream. */
export function watch(child: ChildProcess) {
  let out = '';
  let stdout = '';
  let err = '';
  const looks = new Set<() => void>();
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (chunk) => {
      out += chunk;
      if (stream === child.stderr) err += chunk;
      else stdout += chunk;
      for (const look of looks) look();
    });
  }
  // Without it, a missing program would never count as ended.
  child.on('error', (error) => {
    out += error;
  });
  const exited = new Promise<number | NodeJS.Signals | null>((resolve) => {
    child.on('close', (code, signal) => resolve(code ?? signal));
  });
  /** Resolves once the output matches; fails if the process ends first. */
  function says(pattern: RegExp): Promise<RegExpExecArray> {
    return new Promise((resolve, reject) => {
      const look = () => {
        const found = pattern.exec(out);
        if (!found) return;
        looks.delete(look);
        resolve(found);
      };
      looks.add(look);
      look();
      void exited.then(() => reject(new Error(`It ended without saying ${pattern}:\n${out}`)));
    });
  }
  return { out: () => out, stdout: () => stdout, err: () => err, says, exited };
}
