import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { SMTPServer } from 'smtp-server';
import { DEFAULT_ANON_KEY, FUNCTION_NAME, FUNCTIONS_PATH } from '../contract/contact.ts';
import { openStore } from '../messages/store.ts';
import { runSql, startPostgres } from '../tests/postgres-server.ts';
import { percentiles, row } from './table.ts';

const ROOT = join(import.meta.dirname, '..');
const SECONDS = 5;
const SENDERS = 64;
const MAILS = 600;

/**
 * How many messages a second one, two and three server processes on one Postgres take, and how many mails
 * they send. Postgres, the mail server and whoever sends share the machine with them.
 */
export async function instances(folder: string): Promise<void> {
  const postgres = await startPostgres();
  const mail = await startMailSink();
  try {
    for (const count of [1, 2, 3]) {
      const newDatabase = async (name: string) => {
        await runSql(`${postgres.url}/postgres`, `create database ${name}${count}`);
        return `${postgres.url}/${name}${count}`;
      };
      const url = await newDatabase('stored');
      const start = { count, url, smtpPort: mail.port, dist: mkdtempSync(join(folder, 'dist-')) };
      writeFileSync(join(start.dist, 'index.html'), '<h1>Home</h1>');
      // The mails wait, and the messages alone are measured.
      const stored = await withServers(start, { MAIL_PER_HOUR: '1' }, async ({ urls, pids }) => {
        const before = await cpuSeconds(pids, url);
        const { text, messages } = await rateOfMessages(urls);
        const after = await cpuSeconds(pids, url);
        const each = (used: number) => `${((used / messages) * 1000).toFixed(2)} ms`;
        const server = each(after.servers - before.servers);
        return `${text}, CPU each: ${server} server, ${each(after.postgres - before.postgres)} Postgres`;
      });
      const waiting = await newDatabase('waiting');
      await storeMessages(waiting);
      mail.forget();
      const mailed = await withServers({ ...start, url: waiting }, { MAIL_PER_HOUR: '1000000' }, () =>
        mail.rateOf(MAILS),
      );
      row(`${count} ${count === 1 ? 'process' : 'processes'} on Postgres`, `${stored}; ${mailed}`);
    }
  } finally {
    await postgres.close();
    mail.close();
  }
}

/** Takes every mail and throws it away. */
async function startMailSink() {
  let times: number[] = [];
  let told = () => {};
  const sink = new SMTPServer({
    disabledCommands: ['STARTTLS', 'AUTH'],
    disableReverseLookup: true,
    onData(stream, _session, callback) {
      stream.on('end', callback).resume();
      times.push(performance.now());
      told();
    },
  });
  // A server that's killed breaks its connections off.
  sink.on('error', () => undefined);
  await new Promise<void>((resolve) => sink.listen(0, '127.0.0.1', resolve));
  return {
    port: (sink.server.address() as AddressInfo).port,
    close: () => sink.close(),
    /** From the first of so many to the last, so that the start of the processes does not count. */
    async rateOf(mails: number): Promise<string> {
      await new Promise<void>((resolve) => {
        told = () => {
          if (times.length >= mails) resolve();
        };
        told();
      });
      const seconds = ((times.at(-1) ?? 0) - (times[0] ?? 0)) / 1000;
      return `${Math.round(mails / seconds)} mails/s`;
    },
    forget(): void {
      times = [];
    },
  };
}

type Start = { count: number; url: string; smtpPort: number; dist: string };

async function withServers(
  { count, url, smtpPort, dist }: Start,
  env: Record<string, string>,
  use: (servers: { urls: string[]; pids: number[] }) => Promise<string>,
): Promise<string> {
  const servers = Array.from({ length: count }, () =>
    spawn(process.execPath, ['server/main.ts', dist], {
      cwd: ROOT,
      env: {
        PATH: process.env.PATH ?? '',
        HOST: '127.0.0.1',
        PORT: '0',
        LOG_LEVEL: 'error',
        TRUST_PROXY: '127.0.0.1',
        DATABASE_URL: url,
        SMTP_URL: `smtp://127.0.0.1:${smtpPort}`,
        ...env,
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    }),
  );
  const ended = servers.map((server) => new Promise((resolve) => server.once('close', resolve)));
  try {
    const urls = await Promise.all(servers.map(urlOf));
    return await use({ urls, pids: servers.map(({ pid }) => pid ?? 0) });
  } finally {
    for (const server of servers) server.kill('SIGKILL');
    await Promise.all(ended);
  }
}

async function rateOfMessages(urls: string[]): Promise<{ text: string; messages: number }> {
  const times: number[] = [];
  const startedAt = performance.now();
  await Promise.all(
    Array.from({ length: SENDERS }, async (_, sender) => {
      for (let index = 0; performance.now() - startedAt < SECONDS * 1000; index += 1) {
        const askedAt = performance.now();
        const response = await post(`${urls[(sender + index) % urls.length]}`, sender, index);
        await response.arrayBuffer();
        if (!response.ok) throw new Error(`answered ${response.status}`);
        times.push(performance.now() - askedAt);
      }
    }),
  );
  const text = `${Math.round(times.length / SECONDS)} messages/s, ${percentiles(times)}`;
  return { text, messages: times.length };
}

/**
 * What the servers and Postgres have had of the processors, which other programs on the machine change little.
 * Linux alone tells.
 */
async function cpuSeconds(pids: number[], url: string): Promise<{ servers: number; postgres: number }> {
  const [checkpointer] = await runSql<{ pid: number }>(
    url,
    "select pid from pg_stat_activity where backend_type = 'checkpointer'",
  );
  const postmaster = procStat(checkpointer?.pid ?? 0)?.parent ?? 0;
  const own = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => procStat(Number(name)))
    .filter((stat) => stat?.parent === postmaster);
  const sum = (times: (number | undefined)[]) =>
    times.reduce<number>((total, time) => total + (time ?? 0), 0);
  return {
    servers: sum(pids.map((pid) => procStat(pid)?.seconds)),
    postgres: sum([...own.map((stat) => stat?.seconds), procStat(postmaster)?.ofChildren]),
  };
}

function procStat(pid: number): { parent: number; seconds: number; ofChildren: number } | undefined {
  try {
    // The name of the program stands in brackets and may hold blanks.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ')
      .map(Number);
    const [parent = 0, user = 0, system = 0, childUser = 0, childSystem = 0] = [1, 11, 12, 13, 14].map(
      (index) => fields[index],
    );
    return { parent, seconds: (user + system) / 100, ofChildren: (childUser + childSystem) / 100 };
  } catch {
    // It has ended meanwhile.
    return undefined;
  }
}

/** All of them due. */
async function storeMessages(url: string): Promise<void> {
  const store = await openStore({ engine: 'postgres', url }, { mailDomain: 'example.com' });
  for (let index = 0; index < MAILS; index += 1) await store.add(textOf(0, index), { now: Date.now() });
  await store.close();
}

function textOf(sender: number, index: number) {
  return {
    name: `Sender ${sender}`,
    email: 'ana@example.org',
    message: `${index} ${'stock '.repeat(60)}`,
  };
}

function post(server: string, sender: number, index: number): Promise<Response> {
  return fetch(`${server}${FUNCTIONS_PATH}/${FUNCTION_NAME}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      apikey: DEFAULT_ANON_KEY,
      'x-forwarded-for': `10.${sender}.${(index >> 8) & 255}.${index & 255}`,
    },
    body: JSON.stringify(textOf(sender, index)),
  });
}

function urlOf(server: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let out = '';
    server.stdout?.on('data', (chunk) => {
      out += chunk;
      const found = /http:\/\/\S+:\d+/.exec(out)?.[0];
      if (found) resolve(found);
    });
    server.once('close', () => reject(new Error(`The server ended: ${out}`)));
  });
}
