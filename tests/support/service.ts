import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { onTestFinished, vi } from 'vitest';
import { DEFAULT_ANON_KEY, FUNCTION_NAME, FUNCTIONS_PATH } from '../../contract/contact-message.ts';
import type { Fetch } from '../../server/http/listen.ts';
import type { Pages } from '../../server/http/static.ts';
import type { Database } from '../../server/messages/database.ts';
import { readSettings } from '../../settings/settings.ts';
import { createStore } from './database/open-store.ts';
import { untilEnd } from './network/until-end.ts';

/** A Saturday. Tests count from here and never wait in real time. */
export const START = Date.UTC(2026, 10, 21, 12, 0, 0);
export const PATH = `${FUNCTIONS_PATH}/${FUNCTION_NAME}`;
export const SAID = {
  language: 'en-CA',
  replyHours: 24,
  topics: 'About',
  spots: 'Retyping\nBin: A / B\nNobody’s task\nErrors',
};
export const MESSAGE = {
  name: 'Ana Souza',
  email: 'ana@example.org',
  message: 'Our stock is never where it should be.',
};

/** `Date` shows this time until the test ends or sets another. */
export function setTime(time: number): void {
  if (!vi.isFakeTimers()) vi.useFakeTimers({ toFake: ['Date'] });
  vi.setSystemTime(time);
  onTestFinished(() => void vi.useRealTimers());
}

export function stopClocks(...toFake: ('Date' | 'performance' | 'setTimeout' | 'clearTimeout')[]): void {
  vi.useFakeTimers({ toFake });
  onTestFinished(() => void vi.useRealTimers());
}

export function temporaryFolder(within = tmpdir()): string {
  const folder = mkdtempSync(join(within, 'contact-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** The service with real parts, its files in its own folder, its log in `lines`, and `START` as its time. */
export async function openTestService(
  env: Record<string, string> = {},
  { pages, desk }: { pages?: Pages; desk?: Fetch } = {},
) {
  // Loaded only when used: most tests of messages/ need no server.
  const { createLog } = await import('../../server/log.ts');
  const { openService, SHARED_MS } = await import('../../server/service.ts');
  const { ENGLISH } = await import('../../server/http/answers.ts');
  const folder = temporaryFolder();
  const lines: string[] = [];
  setTime(START);
  const settings = readSettings({
    DATABASE_URL: `file:${join(folder, 'data/contact.db')}`,
    MAIL_DIR: join(folder, 'data/mail'),
    CONTACT_EMAIL: 'owner@example.com',
    LOG_LEVEL: 'trace',
    ...env,
  });
  const databaseFile = settings.database.engine === 'sqlite' ? settings.database.file : '';
  const log = createLog(settings.logLevel, { write: (line) => void lines.push(line) });
  const said = pages ? { pages } : { sentences: { ...ENGLISH, replyHours: 24 } };
  const service = await untilEnd(openService(settings, { ...said, desk, log, startOutbox: false }));
  /** What `/readyz` answers once its last check no longer counts. */
  async function readiness(): Promise<number> {
    setTime(Date.now() + SHARED_MS);
    return (await service.app.request('/readyz')).status;
  }
  let visitors = 0;
  /** A message from a visitor with a unique address. Returns its answer's status. */
  async function send(message: string): Promise<number> {
    visitors += 1;
    const from = peer(`10.0.${visitors >> 8}.${visitors & 255}`);
    return (await service.app.request(...call({ ...MESSAGE, message }), from)).status;
  }
  const store = createStore(service.database);
  return { ...service, store, settings, folder, databaseFile, log, lines, readiness, send };
}

/** From now on every insert fails as on a full disk; existing rows can still be changed. Returns how to undo it. */
export async function refuseInserts({ db, engine }: Database): Promise<() => Promise<unknown>> {
  const run = (text: string) => sql.raw(text).execute(db);
  if (engine === 'sqlite') {
    await run(
      "create trigger no_room before insert on contact_message begin select raise(abort, 'full'); end",
    );
    return () => run('drop trigger no_room');
  }
  await run(`create or replace function no_room() returns trigger language plpgsql
    as $$ begin raise exception using errcode = '53100'; end $$`);
  await run(
    'create trigger no_room before insert on contact_message for each row execute function no_room()',
  );
  return () => run('drop trigger no_room on contact_message');
}

export function call(body: unknown = MESSAGE, headers: Record<string, string> = {}): [string, RequestInit] {
  return [
    PATH,
    {
      method: 'POST',
      headers: { 'content-type': 'application/json', apikey: DEFAULT_ANON_KEY, ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    },
  ];
}

/** What the app is told about a connection. */
export const peer = (remoteAddress: string) => ({ incoming: { socket: { remoteAddress } } });

export const formPost = (
  fields: Record<string, string> | [string, string][],
  headers: Record<string, string> = {},
): [string, RequestInit] => [PATH, { method: 'POST', headers, body: new URLSearchParams(fields) }];

export function linksOf(html: string): string[] {
  return [...html.matchAll(/\shref="([^"]*)"/g)].map(([, href = '']) =>
    href.replaceAll('&#39;', "'").replaceAll('&amp;', '&'),
  );
}
