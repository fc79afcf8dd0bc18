import { spawnSync } from 'node:child_process';
import { rmSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** Waits until whoever started it closes its input or ends, then ends their Postgres and removes its folder. */
const [control = '', folder = ''] = process.argv.slice(2);
process.stdin.resume().on('end', () => {
  const { uid, gid } = statSync(folder);
  const args = ['stop', '--silent', '--mode=immediate', '--pgdata', join(folder, 'data')];
  // It may have been stopped before.
  spawnSync(control, args, { ...(process.getuid && { uid, gid }), cwd: folder });
  rmSync(folder, { recursive: true, force: true });
});
