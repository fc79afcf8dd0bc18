import { setTimeout as wait } from 'node:timers/promises';
import { runSql, startPostgres } from '../tests/postgres-server.ts';
import { processorTime } from '../tests/raw-http.ts';
import { startSmtpServer } from '../tests/smtp-server.ts';
import { rate, sendMessages } from './messages.ts';
import { type Server, serve, stopAll } from './servers.ts';
import { percentiles, row } from './table.ts';

/**
 * How many messages and mails per second one, two and three server processes on one Postgres can handle. Postgres,
 * the mail server and the senders run on the same machine.
 */
export async function instances(site: string, folder: string): Promise<void> {
  const postgres = await startPostgres();
  const mailTimes: number[] = [];
  const mailServer = await startSmtpServer({
    onData(stream, _session, callback) {
      stream.on('end', callback).resume();
      mailTimes.push(performance.now());
    },
  });
  try {
    for (const count of [1, 2, 3]) {
      const url = `${postgres.url}/instances${count}`;
      await runSql(`${postgres.url}/postgres`, `create database instances${count}`);
      const startServers = (mailsPerHour: string) => {
        const env = { DATABASE_URL: url, SMTP_URL: mailServer.url, MAIL_PER_HOUR: mailsPerHour };
        return Promise.all(Array.from({ length: count }, () => serve(site, folder, env)));
      };
      // One mail an hour, so that sending doesn't compete with storing.
      const { stored, text } = await storing(await startServers('1'), url);
      await stopAll();
      mailTimes.length = 0;
      const mails = Math.min(600, Math.floor(stored / 2));
      await startServers('1000000');
      while (mailTimes.length < mails) await wait(100);
      await stopAll();
      const seconds = ((mailTimes[mails - 1] ?? 0) - (mailTimes[0] ?? 0)) / 1000;
      row(`Postgres, processes: ${count}`, `${text}; ${Math.round(mails / seconds)} mails/s`);
    }
  } finally {
    await stopAll();
    await postgres.close();
    await mailServer.close();
  }
}

async function storing(servers: Server[], url: string): Promise<{ stored: number; text: string }> {
  /** CPU time, since other programs hardly affect it. Linux only. */
  const used = async () => {
    const backends = await runSql<{ pid: number }>(url, 'select pid from pg_stat_activity');
    const sum = (pids: (number | undefined)[]) =>
      pids.reduce<number>((total, pid) => total + processorTime(pid), 0);
    return {
      servers: sum(servers.map(({ process }) => process.pid)),
      postgres: sum(backends.map(({ pid }) => pid)),
    };
  };
  const before = await used();
  const times = await sendMessages(servers.map((server) => server.url));
  const after = await used();
  const each = (name: keyof typeof before) =>
    `${((after[name] - before[name]) / times.length).toFixed(2)} ms ${name}`;
  const text = `${rate(times)} messages/s, ${percentiles(times)}, CPU each: ${each('servers')}, ${each('postgres')}`;
  return { stored: times.length, text };
}
