import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  writeFileSync,
} from 'node:fs';
import { connect } from 'node:net';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import { PLACE, STATE } from '../../../desk/online/ssh.ts';
import { freePort } from '../network/free-port.ts';
import { temporaryFolder } from '../service/open-test-service.ts';

const ROOT = join(import.meta.dirname, '../../..');
const SSHD = '/usr/sbin/sshd';

/** The tests that need it are listed as not run elsewhere. */
export const sshdHere = existsSync(SSHD);

/**
 * A real sshd on a free loopback port, for whoever runs this. What's at PLACE on a server is in a folder here, with a
 * desk that has these settings.
 *
 * @returns what the laptop's environment needs to get there
 */
export async function startSshServer(env: Record<string, string>) {
  const folder = temporaryFolder();
  const at = (name: string) => join(folder, name);
  const key = (name: string) => spawnSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', at(name)]);
  const script = (name: string, text: string) => {
    writeFileSync(at(name), `#!/bin/sh\n${text}\n`);
    chmodSync(at(name), 0o755);
  };
  for (const name of ['current/deploy', 'bin']) mkdirSync(at(name), { recursive: true });
  if (userInfo().uid === 0) mkdirSync('/run/sshd', { recursive: true });
  key('host');
  key('hers');
  const port = await freePort();
  const settings = Object.entries({ ...env, DESK_ON_SERVER: '1', SERVER: '' }).map(
    ([name, value]) => `${name}='${value}'`,
  );
  const desk = `${process.execPath} ${join(ROOT, 'desk/desk-command.ts')}`;
  script(
    'current/deploy/on-server.sh',
    `shift\ncd ${folder} || exit 1\nenv ${settings.join(' ')} ${desk} "$@"`,
  );
  // Another user than root asks for root's rights first.
  script('bin/sudo', 'shift\nexec "$@"');
  script(
    'command',
    `printf '%s\\n' "$SSH_ORIGINAL_COMMAND" >>${at('asked')}\nPATH=${at('bin')}:$PATH\neval "$(printf %s "$SSH_ORIGINAL_COMMAND" | sed 's,${PLACE},${folder},g; s,${STATE},${folder},g')"`,
  );
  writeFileSync(
    at('sshd_config'),
    `ListenAddress 127.0.0.1:${port}\nHostKey ${at('host')}\nAuthorizedKeysFile ${at('hers.pub')}\nForceCommand ${at('command')}\nStrictModes no\nUsePAM no\nPasswordAuthentication no\nPermitRootLogin yes\nPidFile none\n`,
  );
  writeFileSync(at('known'), `[127.0.0.1]:${port} ${readFileSync(at('host.pub'), 'utf8')}`);
  writeFileSync(
    at('config'),
    `Host *\nIdentityFile ${at('hers')}\nUserKnownHostsFile ${at('known')}\nGlobalKnownHostsFile /dev/null\nIdentitiesOnly yes\n`,
  );
  script('bin/ssh', `exec /usr/bin/ssh -F ${at('config')} "$@"`);
  let sshd: ChildProcess | undefined;
  onTestFinished(() => stop());

  async function start(): Promise<void> {
    sshd = spawn(SSHD, ['-D', '-e', '-f', at('sshd_config')], { stdio: 'ignore' });
    while (!(await answers(port))) await wait(20);
  }
  /** With every connection, as if the network were cut. */
  function stop(): void {
    if (!sshd?.pid) return;
    const connections = connectionsOf(sshd.pid);
    sshd.kill('SIGKILL');
    for (const pid of connections) process.kill(pid, 'SIGKILL');
    sshd = undefined;
  }
  await start();
  return {
    folder,
    env: { PATH: `${at('bin')}:${process.env.PATH}`, SERVER: `${userInfo().username}@127.0.0.1:${port}` },
    /** The command lines that others on the server can see. */
    asked: () => readFileSync(at('asked'), 'utf8').trim().split('\n'),
    start,
    stop,
    /** Those that it runs. */
    desks: () =>
      processes().filter(({ cwd, command }) => cwd === folder && command.includes('desk-command.ts\0open\0')),
  };
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = connect(port, '127.0.0.1', () => {
      probe.destroy();
      resolve(true);
    }).once('error', () => resolve(false));
  });
}

/** Processes of sshd's own, not the commands in them. They have to be found before it ends. */
function connectionsOf(pid: number): number[] {
  const all = processes();
  const below = (parent: number): number[] =>
    all
      .filter((one) => one.parent === parent && one.command.startsWith('sshd'))
      .flatMap((one) => [one.pid, ...below(one.pid)]);
  return below(pid);
}

function processes() {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const [, parent] = /\) \S (\d+)/.exec(readFileSync(`/proc/${name}/stat`, 'utf8')) ?? [];
        const command = readFileSync(`/proc/${name}/cmdline`, 'utf8');
        return [
          { pid: Number(name), parent: Number(parent), command, cwd: readlinkSync(`/proc/${name}/cwd`) },
        ];
      } catch {
        // It has ended meanwhile.
        return [];
      }
    });
}
