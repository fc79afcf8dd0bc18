import { Buffer } from 'node:buffer';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type Sqlite from 'better-sqlite3';
import { FUNCTION_NAME, FUNCTIONS_PATH } from '../../contract/contact.ts';
import type { SqliteDatabase } from '../../messages/database.ts';
import { eraseMessages } from '../../messages/erase.ts';
import { openSqlite } from '../../messages/open.ts';
import { markSpam, notSpam, requeue, setAnswered } from '../../messages/states.ts';
import { createLog } from '../../server/log.ts';
import { openService, type Service } from '../../server/service.ts';
import { readSettings } from '../../settings/settings.ts';
import { BEHAVIOURS, type BehaviourName, createMailServer, type Sending } from './mail-server.ts';
import { createWorld, type Process, type World } from './world.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const START = Date.UTC(2026, 10, 21, 12);
const KEY = 'sb_publishable_of_this_test';
const SECRET = `whsec_${Buffer.from('twenty-four bytes, or so').toString('base64')}`;
const OWNER = 'owner@example.com';

/** What the tests say of this world: see docs/reliability.md. */
const TOLD_WITHIN = 15 * MINUTE;
/** Looks are a minute apart, and one may fall into a mail that's being tried. */
const LOOKS = 4 * MINUTE;
const MAILED_WITHIN = 4 * HOUR;
/** So many mails are in hand at once in each process, and a crash may leave them counted twice. */
const IN_HAND = 4;
/** In ten minutes: the plan has four, and what's back or requeued is tried once more. */
const MOST_TRIES = 30;

const NAMES = Object.keys(BEHAVIOURS) as BehaviourName[];

/** RAM, where there's some. */
const ROOT = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();

/** The words that several visitors send. */
export const SAME = 'the same again';
const UUID = /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/;

export class Broken extends Error {
  override name = 'Broken';
}

type Visitor = {
  words: string;
  email: string;
  address: string;
  key: string | undefined;
  acknowledged: string[];
};

type Instance = { process: Process; service: Service; sqlite: Sqlite.Database };

type Row = {
  id: string;
  message: string;
  state: string;
  next_attempt_at: number;
  last_error: string | null;
  message_id: string;
  sent_at: number | null;
};

type Alert = { at: number; text: string };
type Owned = { at: number; deed: string };

export type Site = Awaited<ReturnType<typeof openSite>>;

export type Plan = { mailPerHour: number; notices: boolean };

/** The site on one machine: its processes, its owner, its visitors, and all they depend on. */
export async function openSite(seed: number, { mailPerHour, notices }: Plan) {
  const folder = mkdtempSync(join(ROOT, 'simulation-'));
  const file = join(folder, 'contact.db');
  const mailDir = join(folder, 'mail');
  const world = createWorld(seed, START);
  const instances: (Instance | undefined)[] = [undefined, undefined, undefined];
  const visitors: Visitor[] = [];
  const erased = new Map<string, number>();
  /** What the owner did to a message, which makes another mail of it right. */
  const owned = new Map<string, Owned>();
  const alerts: Alert[] = [];
  const refusals: { at: number; process: Process }[] = [];
  let behaviour: BehaviourName | 'any' = 'fine';
  let hookWorks = true;
  let hookSince = START;
  let clockSetAt = Number.NEGATIVE_INFINITY;
  let diskSince: number | undefined;
  let diskFreedAt = Number.NEGATIVE_INFINITY;
  let crashes: number[] = [];
  let starts = 0;

  const mails = createMailServer(world, ({ messageId }) => {
    if (behaviour === 'any') return NAMES[Math.floor(world.random() * NAMES.length)] ?? 'fine';
    return behaviour === 'fine' && isUnmailable(messageId) ? 'content refused' : behaviour;
  });

  const restore = fakeGlobals(world, (url, init) => answerFetch(url, init));

  const settingsFor = (name: string) =>
    readSettings({
      VITE_SUPABASE_ANON_KEY: KEY,
      DATABASE_URL: `file:${file}`,
      MAIL_DIR: mailDir,
      SMTP_URL: 'smtp://127.0.0.1:25',
      CONTACT_EMAIL: OWNER,
      TIME_ZONE: 'America/Toronto',
      MAIL_PER_HOUR: String(mailPerHour),
      ALERT_WEBHOOK_URL: `http://hook.test/${name}`,
      ...(notices && { NOTIFY_WEBHOOK_URL: `https://notify.test/${name}`, NOTIFY_WEBHOOK_SECRET: SECRET }),
      LOG_LEVEL: 'info',
    });

  // The owner's desk, on the same machine. While it's open, a process that crashes can't tidy up the database's log.
  const deskProcess: Process = { name: 'desk', bornAt: START, isDead: false, frozenUntil: 0 };
  const desk: SqliteDatabase = await openSqlite(file, world.clockOf(deskProcess));
  const rowsOf = desk.sqlite.prepare<[], Row>(
    'select id, message, state, next_attempt_at, last_error, message_id, sent_at from contact_message',
  );
  const rows = () => rowsOf.all();
  const noticesWaiting = desk.sqlite.prepare<[], { id: string }>(
    "select id from contact_notice where state = 'waiting'",
  );

  /** A visitor's words say what becomes of them. */
  function isUnmailable(messageId: string): boolean {
    const row = desk.sqlite
      .prepare<[string], { message: string }>('select message from contact_message where message_id = ?')
      .get(messageId);
    return row?.message.includes('unmailable') ?? false;
  }

  const alive = (): Instance[] => instances.filter((each) => each !== undefined);
  const awake = (): Instance[] => alive().filter(({ process }) => process.frozenUntil <= world.now());

  async function start(slot: number): Promise<void> {
    if (instances[slot]) return;
    starts += 1;
    const process: Process = { name: `server ${starts}`, bornAt: world.now(), isDead: false, frozenUntil: 0 };
    const log = createLog('info', {
      write: (line) => {
        const { level, msg, fault } = JSON.parse(line);
        if (level >= 40) world.note(`${process.name} logs: ${msg}${fault ? ` (${fault})` : ''}`);
      },
    });
    try {
      const service = await openService(settingsFor(process.name), {
        log,
        clock: world.clockOf(process),
        mailer: mails.mailerOf(process, onSend),
      });
      const { sqlite } = service.database as SqliteDatabase;
      instances[slot] = { process, service, sqlite };
      if (diskSince !== undefined) fill(sqlite);
      world.note(`${process.name} starts`);
    } catch (error) {
      world.note(`${process.name} doesn't start: ${String(error)}`);
    }
    await world.settle();
  }

  /** As with kill -9: nothing it waits for happens any more, and its connection is gone. */
  async function crash(slot: number): Promise<void> {
    const instance = instances[slot];
    if (!instance) return;
    instances[slot] = undefined;
    instance.process.isDead = true;
    instance.sqlite.close();
    crashes.push(world.now());
    world.note(`${instance.process.name} crashes`);
  }

  async function stop(slot: number): Promise<void> {
    const instance = instances[slot];
    if (!instance || instance.process.frozenUntil > world.now()) return;
    const { service, process } = instance;
    world.note(`${process.name} is told to stop`);
    service.prepareToStop();
    await world.finish(service.stopSending(), 20 * SECOND);
    await world.finish(service.close(), 20 * SECOND);
    instances[slot] = undefined;
    process.isDead = true;
    crashes.push(world.now());
  }

  function fill(sqlite: Sqlite.Database): void {
    const pages = Number(sqlite.pragma('page_count', { simple: true }));
    sqlite.pragma(`max_page_count = ${pages}`);
  }

  /** The last moment that makes another mail of a sent message right, or Infinity if that's now. */
  const excuse = (id: string, { process, at, answeredAt = at }: Sending): boolean => {
    const since = Math.min(at, answeredAt) - MINUTE;
    return (
      process.isDead ||
      process.frozenUntil > since ||
      clockSetAt >= since ||
      diskSince !== undefined ||
      diskFreedAt >= since ||
      (owned.get(id)?.at ?? Number.NEGATIVE_INFINITY) >= at
    );
  };

  function onSend(next: Sending): void {
    const { id, messageId } = next;
    world.note(`${next.process.name}: sends ${messageId}`);
    const about = UUID.exec(id)?.[0] ?? '';
    if (erased.has(about)) throw broken(`a message that was erased is mailed: ${messageId}`);
    // Digests, lists and reminders have their own rules.
    if (about !== id) return;
    const before = mails.sendings.filter((sending) => sending.id === id);
    if (before.filter(({ at }) => at > world.now() - 10 * MINUTE).length > MOST_TRIES)
      throw broken(`${messageId} is tried again and again`);
    for (const sending of before) {
      if (sending.messageId !== messageId)
        throw broken(`${id} is mailed as ${sending.messageId} and as ${messageId}`);
      if (excuse(id, sending)) continue;
      if (sending.answer === 'taken') throw broken(`${messageId} was taken, and is mailed again`);
      if (sending.answer === undefined) throw broken(`${messageId} is mailed twice at the same time`);
    }
  }

  function broken(text: string): Broken {
    world.note(`BROKEN: ${text}`);
    const why = new Broken(text);
    world.end(why);
    return why;
  }

  /** What a server asks of another one by HTTP: here the owner's alerts and notices. */
  function answerFetch(url: string, { body, headers, signal }: RequestInit): Promise<Response> {
    const { hostname, pathname } = new URL(url);
    const name = decodeURIComponent(pathname.slice(1));
    const process = alive().find((each) => each.process.name === name)?.process;
    const about = (headers as Record<string, string>)['webhook-id'] ?? '';
    if (erased.has(about)) throw broken(`the owner gets a notice of ${about}, which was erased`);
    return new Promise((resolve, reject) => {
      if (!process) return;
      const answer = (): void => {
        if (!hookWorks) {
          reject(Object.assign(new TypeError('fetch failed'), { cause: { code: 'ECONNREFUSED' } }));
          return;
        }
        if (hostname === 'hook.test') {
          const { text } = JSON.parse(String(body)) as { text: string };
          alerts.push({ at: world.now(), text });
          world.note(`the owner is told by ${name}: ${text}`);
        } else world.note(`the owner gets a notice of ${about} by ${name}`);
        resolve(new Response(null, { status: 200 }));
      };
      const cancel = world.after(process, 200, answer);
      signal?.addEventListener('abort', () => {
        cancel();
        reject(signal.reason);
      });
    });
  }

  async function call(visitor: Visitor, way: 'there and back' | 'lost before' | 'lost after'): Promise<void> {
    const servers = awake();
    const server = servers[Math.floor(world.random() * servers.length)];
    world.note(`a visitor sends “${visitor.words}”, ${way}`);
    if (!server || way === 'lost before') return;
    const { service, process } = server;
    const request: RequestInit = {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        apikey: KEY,
        ...(visitor.key && { 'idempotency-key': visitor.key }),
      },
      body: JSON.stringify({ name: 'Ana', email: visitor.email, message: visitor.words }),
    };
    const answering = Promise.resolve(
      service.app.request(`${FUNCTIONS_PATH}/${FUNCTION_NAME}`, request, comingFrom(visitor.address)),
    );
    answering.then(
      async (response) => {
        const answer = (await response.json()) as { id?: string };
        if (process.isDead) return;
        world.note(`“${visitor.words}” is answered ${response.status}`);
        if (response.status === 503) refusals.push({ at: world.now(), process });
        if (response.status === 200 && way === 'there and back') visitor.acknowledged.push(answer.id ?? '');
      },
      () => undefined,
    );
    await world.settle();
  }

  const site = {
    world,
    visitors,
    rows,
    mails: () => mails.sendings.filter(({ taken }) => taken).length,
    servers: () => starts,
    start,
    crash,
    stop,
    async visit(visitor: Omit<Visitor, 'acknowledged'>, way: Parameters<typeof call>[1]): Promise<void> {
      const one = { ...visitor, acknowledged: [] };
      visitors.push(one);
      await call(one, way);
    },
    again: call,
    freeze(slot: number, ms: number): void {
      const instance = instances[slot];
      if (!instance) return;
      instance.process.frozenUntil = world.now() + ms;
      world.note(`${instance.process.name} is frozen for ${ms / SECOND} s`);
    },
    mailServer(name: BehaviourName | 'any'): void {
      if (name === behaviour) return;
      behaviour = name;
      world.note(`from now on, the mail server is: ${name}`);
    },
    webhook(works: boolean): void {
      if (works !== hookWorks) hookSince = world.now();
      hookWorks = works;
      world.note(`the webhook ${works ? 'works' : "doesn't answer"}`);
    },
    disk(isFull: boolean): void {
      if (isFull === (diskSince !== undefined)) return;
      diskFreedAt = world.now();
      diskSince = isFull ? world.now() : undefined;
      for (const { sqlite } of alive())
        if (isFull) fill(sqlite);
        else sqlite.pragma('max_page_count = 4294967294');
      world.note(isFull ? 'the disk is full' : 'the disk has room');
    },
    setClock(by: number): void {
      if (by === 0 && world.isClockRight()) return;
      world.setClock(by);
      clockSetAt = world.now();
      world.note(`the clock is set ${by === 0 ? 'right' : `by ${by / SECOND} s`}`);
    },
    /** The owner's commands, by another process on the database. */
    async owner(deed: 'requeue' | 'again' | 'spam' | 'not spam' | 'answered' | 'erase', pick: number) {
      const all = rows();
      const row = all[pick % Math.max(1, all.length)];
      const now = world.wallTime();
      if (!row) return;
      const { id } = row;
      world.note(`the owner: ${deed} ${row.message}`);
      const does = {
        requeue: () => requeue(desk, 'all', now),
        again: () => requeue(desk, { id, again: true }, now),
        spam: () => markSpam(desk, id, now),
        'not spam': () => notSpam(desk, id, now),
        answered: () => setAnswered(desk, id, now),
        erase: () => eraseMessages(desk, { id }, { mailDir, now }),
      };
      const touched = deed === 'requeue' ? all.map((each) => each.id) : [id];
      if (deed !== 'answered') for (const each of touched) owned.set(each, { at: world.now(), deed });
      await world.finish<unknown>(does[deed](), MINUTE);
      if (deed !== 'answered') for (const each of touched) owned.set(each, { at: world.now(), deed });
      if (deed === 'erase') erased.set(id, world.now());
    },
    async advance(ms: number): Promise<void> {
      const until = world.now() + ms;
      while (world.now() < until) {
        await world.advance(Math.min(5 * MINUTE, until - world.now()));
        this.check();
      }
    },
    check,
    heal,
    async close(): Promise<void> {
      for (const slot of instances.keys()) await crash(slot);
      await desk.db.destroy();
      restore();
      rmSync(folder, { recursive: true, force: true });
    },
  };
  return site;

  /** What must be true at any moment. */
  function check(): void {
    const why = world.broken();
    if (why) throw why;
    const stored = rows();
    const byId = new Map(stored.map((row) => [row.id, row]));
    for (const { acknowledged, words } of visitors)
      for (const id of acknowledged)
        if (!erased.has(id) && byId.get(id)?.message !== words)
          throw broken(`“${words}” was acknowledged and is gone`);
    for (const id of erased.keys()) if (byId.has(id)) throw broken(`${id} was erased, and is there`);
    if (readdirOf(mailDir).some((name) => [...erased.keys()].some((id) => name.includes(id))))
      throw broken('the mail file of an erased message is there');
    checkBudget();
    checkTold(stored);
  }

  function checkBudget(): void {
    const now = world.now();
    if (now - clockSetAt < 2 * HOUR || !world.isClockRight()) return;
    crashes = crashes.filter((at) => at > now - 2 * HOUR);
    const isDiskToBlame = diskSince !== undefined || diskFreedAt > now - 2 * HOUR;
    if (isDiskToBlame) return;
    const mailed = new Set(
      mails.sendings
        .filter(({ id }) => UUID.exec(id)?.[0] === id)
        .filter(({ answer, answeredAt = 0 }) => answer === 'taken' && answeredAt > now - HOUR)
        .filter(({ id }) => (owned.get(id)?.at ?? 0) < now - 2 * HOUR)
        .map(({ id }) => id),
    );
    if (mailed.size > mailPerHour + crashes.length * IN_HAND)
      throw broken(`${mailed.size} mails went out within an hour, and MAIL_PER_HOUR is ${mailPerHour}`);
  }

  /** Since when the owner could have been told: a server was there, awake, by the right time, and so was the webhook. */
  function tellableSince(): number {
    const servers = awake().map(({ process }) => Math.max(process.bornAt, process.frozenUntil));
    return Math.max(Math.min(...servers), hookWorks ? hookSince : Infinity, clockSetAt, diskFreedAt);
  }

  function checkTold(stored: Row[]): void {
    const now = world.now();
    const tellable = tellableSince();
    // A clock that's set back by up to an hour makes the hour between two alerts longer by as much.
    const repeat = clockSetAt > now - 2 * HOUR ? 2 * HOUR : HOUR;
    const toldSince = (at: number) => alerts.some((alert) => alert.at >= at);
    for (const { at, process } of refusals) {
      const isTellable = !process.isDead && process.frozenUntil < at;
      if (!isTellable || !hookWorks || hookSince > at || clockSetAt > at - 2 * HOUR) continue;
      if (now - at > LOOKS && !toldSince(at - HOUR - LOOKS))
        throw broken('a visitor was turned away, and the owner was not told');
    }
    if (diskSince !== undefined) return;
    // Failing by no fault of their own.
    const failing = stored.filter(({ state, last_error }) => state === 'waiting' && last_error !== null);
    const failedAt = failing.map(({ id }) => {
      const since = Math.max(owned.get(id)?.at ?? 0, tellable);
      const failures = mails.sendings.filter(
        (sending) => sending.id === id && sending.answer === 'failed' && (sending.answeredAt ?? 0) >= since,
      );
      return failures[0]?.answeredAt ?? now;
    });
    const since = Math.max(Math.min(...failedAt), tellable);
    if (failing.length > 0 && now - since > TOLD_WITHIN + LOOKS && !toldSince(now - repeat - LOOKS))
      throw broken(`mails have failed since ${new Date(since).toISOString()}, and the owner was not told`);
    const setAside = stored.filter(({ state }) => state === 'set_aside');
    const setAsideAt = setAside.map(({ id }) => {
      const all = mails.sendings.filter((sending) => sending.id === id && sending.answer !== undefined);
      return Math.max(all.at(-1)?.answeredAt ?? now, owned.get(id)?.at ?? 0);
    });
    const aside = Math.max(Math.min(...setAsideAt), tellable);
    if (setAside.length > 0 && now - aside > HOUR + LOOKS && !toldSince(now - DAY - HOUR))
      throw broken('a message was set aside, and the owner was not told');
  }

  /** Everything is well again; then nothing may be left over. */
  async function heal(): Promise<void> {
    world.note('everything is well from now on');
    for (const { process } of alive()) process.frozenUntil = Math.min(process.frozenUntil, world.now());
    site.disk(false);
    site.webhook(true);
    site.mailServer('fine');
    site.setClock(0);
    if (alive().length === 0) await start(0);
    // The pause after a refused login may still last so long.
    await site.advance(31 * MINUTE);
    // A mail that goes out shows that the mail server is back.
    await site.visit(
      { words: 'all well?', email: 'last@example.org', address: '192.0.2.1', key: 'last' },
      'there and back',
    );
    await site.advance(MINUTE);
    const waiting = () => rows().filter(({ state }) => state === 'waiting');
    const isOver = () => waiting().length + noticesWaiting.all().length === 0;
    const isServers = ({ last_error }: Row) => /^(unreachable|setup) /.test(last_error ?? '');
    const most = Math.max(waiting().length, noticesWaiting.all().length);
    const recent = mails.sendings.filter(({ at }) => at > world.now() - HOUR).length;
    const budget = Math.floor((most + recent) / Math.floor(mailPerHour / 2)) * HOUR;
    for (let passed = 0; !isOver() && passed < MAILED_WITHIN + budget; passed += 10 * MINUTE) {
      await site.advance(10 * MINUTE);
      const forgotten = waiting().find(isServers);
      if (forgotten && passed >= budget + 10 * MINUTE)
        throw broken(
          `“${forgotten.message}” still waits for the mail server, which others have shown to be back`,
        );
    }
    const [late] = waiting();
    if (late) throw broken(`“${late.message}” still waits hours after all is well`);
    await site.advance(10 * MINUTE);
    const [notice] = noticesWaiting.all();
    if (notice) throw broken(`a notice of ${notice.id} still waits hours after all is well`);
    for (const { id, state, message, message_id: messageId } of rows()) {
      const own = mails.sendings.filter((sending) => sending.id === id);
      if (state === 'sent' && !own.some(({ taken }) => taken))
        throw broken(`“${message}” counts as sent, and wasn't`);
      if (
        state === 'set_aside' &&
        !own.some(({ answer, at }) => answer === 'refused' || at < world.now() - 4 * DAY)
      )
        throw broken(`“${message}” was set aside without a reason`);
      if (own.some((sending) => sending.messageId !== messageId)) throw broken(`${id} has two Message-IDs`);
    }
    for (const { words, key } of visitors) {
      const copies = rows().filter(({ message }) => message === words).length;
      if (key !== undefined && copies > 1 && words !== SAME)
        throw broken(`“${words}” was stored ${copies} times under one key`);
    }
    world.note(
      `the end: ${rows()
        .map(({ id, state }) => `${id} ${state}`)
        .join(', ')}`,
    );
  }
}

/** As Node's HTTP server says it. */
const comingFrom = (remoteAddress: string) => ({ incoming: { socket: { remoteAddress } } });

function readdirOf(folder: string): string[] {
  return existsSync(folder) ? readdirSync(folder) : [];
}

/**
 * The counting of clients is a library's, which goes by `Date.now` and forgets by timers of its own; and `fetch` is a
 * network. Nothing else in the server may use these, see messages/clock.grit.
 */
function fakeGlobals(world: World, fetch: (url: string, init: RequestInit) => Promise<Response>): () => void {
  const { now } = Date;
  const { setTimeout, fetch: realFetch } = globalThis;
  Date.now = world.wallTime;
  const timer = { unref: () => timer, ref: () => timer };
  Object.assign(globalThis, { fetch, setTimeout: () => timer });
  return () => {
    Date.now = now;
    Object.assign(globalThis, { fetch: realFetch, setTimeout });
  };
}
