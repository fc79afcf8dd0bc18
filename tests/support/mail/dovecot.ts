import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { ImapFlow } from 'imapflow';
import { freePort } from '../network/free-port.ts';
import { findDovecot, NoBrowserError } from '../site/find-browser.ts';

export const PASSWORD = 'hunter2@:/?';

/** Undefined where Dovecot isn't installed and can't be; the tests that need it are then listed as not run. */
export function dovecotHere(): string | undefined {
  try {
    return findDovecot();
  } catch (error) {
    if (error instanceof NoBrowserError) return undefined;
    throw error;
  }
}

export type Dovecot = Awaited<ReturnType<typeof startDovecot>>;

/** Dovecot takes no mails for root. */
const user = () => {
  const { uid, gid, username } = userInfo();
  if (uid !== 0) return { uid, gid, username };
  const [id = 0, group = 0] = ['-u', '-g'].map((of) => Number(spawnSync('id', [of, 'nobody']).stdout));
  return { uid: id, gid: group, username: 'nobody' };
};

/** A real IMAP server on a free loopback port. Each user name is a mailbox of its own, made at its first login. */
export async function startDovecot(program: string, more = '') {
  const folder = mkdtempSync(join(tmpdir(), 'dovecot-'));
  const { uid, gid, username } = user();
  mkdirSync(join(folder, 'mail'));
  chownSync(join(folder, 'mail'), uid, gid);
  chmodSync(folder, 0o755);
  const port = await freePort();
  const group = spawnSync('id', ['-gn', username], { encoding: 'utf8' }).stdout.trim();
  writeFileSync(
    join(folder, 'dovecot.conf'),
    `base_dir = ${folder}/run
state_dir = ${folder}
log_path = ${folder}/log
protocols = imap
ssl = no
disable_plaintext_auth = no
auth_failure_delay = 0
default_internal_user = ${username}
default_internal_group = ${group}
default_login_user = ${username}
service imap-login {
  chroot =
  inet_listener imap {
    address = 127.0.0.1
    port = ${port}
  }
  inet_listener imaps {
    port = 0
  }
}
service anvil {
  chroot =
  unix_listener anvil-auth-penalty {
    mode = 0
  }
}
service stats {
  chroot =
}
mail_max_userip_connections = 100
mailbox_idle_check_interval = 1 secs
mail_location = maildir:~/mail
passdb {
  driver = static
  args = password=${PASSWORD}
}
userdb {
  driver = static
  args = uid=${uid} gid=${gid} home=${folder}/mail/%u
}
namespace inbox {
  inbox = yes
  separator = /
  mailbox Junk {
    special_use = \\Junk
  }
  mailbox Sent {
    special_use = \\Sent
  }
  mailbox Trash {
    special_use = \\Trash
  }
}
${more}
`,
  );
  const dovecot = spawn(program, ['-F', '-c', join(folder, 'dovecot.conf')], { stdio: 'inherit' });
  const ended = new Promise((resolve) => dovecot.once('close', resolve));
  while (!(await answers(port))) {
    if (dovecot.exitCode !== null) throw new Error('Dovecot did not start');
    await wait(20);
  }
  return {
    port,
    /** For IMAP_URL. */
    url: (name: string, at = port) => `imap://${name}:${encodeURIComponent(PASSWORD)}@127.0.0.1:${at}`,
    /** As the owner's mail program sees the mailbox. */
    async login(name: string): Promise<ImapFlow> {
      const auth = { user: name, pass: PASSWORD };
      const client = new ImapFlow({ host: '127.0.0.1', port, secure: false, auth, logger: false });
      client.on('error', () => undefined);
      await client.connect();
      for (const folder of ['Junk', 'Sent', 'Trash']) await client.mailboxCreate(folder);
      return client;
    },
    /** Mails of many years, of which one comes each minute until now. Before the first login. */
    fill(name: string, count: number): void {
      const home = join(folder, 'mail', name);
      for (const path of ['', 'mail', 'mail/cur', 'mail/new', 'mail/tmp']) {
        mkdirSync(join(home, path));
        chownSync(join(home, path), uid, gid);
      }
      const now = Date.now() / 1000;
      for (let index = 0; index < count; index += 1) {
        const file = join(home, 'mail/cur', `${index}.test:2,S`);
        writeFileSync(file, `Message-ID: <${index}@old.example>\nSubject: Old\n\nOld`);
        utimesSync(file, now, now - (count - index) * 60);
        chownSync(file, uid, gid);
      }
    },
    async close() {
      dovecot.kill('SIGTERM');
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('data', () => resolve(true)).once('error', () => resolve(false));
    socket.once('close', () => resolve(false));
    setTimeout(() => socket.destroy(), 2_000).unref();
  });
}
