import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type Sqlite from 'better-sqlite3';
import { FUNCTION_NAME, FUNCTIONS_PATH } from '../../contract/contact-message.ts';
import { createLog } from '../../server/log.ts';
import type { SqliteDatabase } from '../../server/messages/database.ts';
import { eraseMessages } from '../../server/messages/erase.ts';
import { openSqlite } from '../../server/messages/open.ts';
import { markSpam, notSpam, requeue } from '../../server/messages/states.ts';
import { openService, type Service } from '../../server/service.ts';
import { readSettings } from '../../settings/settings.ts';
import { createPromises, type Facts, type Row, type Visitor } from './kept-promises.ts';
import { type BehaviourName, mailerOf } from './mail-server.ts';
import { createWorld, type Process } from './world.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const START = Date.UTC(2026, 10, 21, 12);
const KEY = 'sb_publishable_of_this_test';

/** RAM, where there's some. */
const ROOT = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();

type Instance = { process: Process; service: Service; sqlite: Sqlite.Database };
export type OwnersDeed = 'requeue' | 'spam' | 'not spam' | 'erase';
export type Machine = Awaited<ReturnType<typeof openMachine>>;

/** The site on one machine: its processes, its owner, its visitors, and all they depend on. */
export async function openMachine(seed: number, mailPerHour: number) {
  const folder = mkdtempSync(join(ROOT, 'simulation-'));
  const file = join(folder, 'contact.db');
  const mailDir = join(folder, 'mail');
  const world = createWorld(seed, START);
  const settings = readSettings({
    VITE_SUPABASE_ANON_KEY: KEY,
    DATABASE_URL: `file:${file}`,
    MAIL_DIR: mailDir,
    SMTP_URL: 'smtp://127.0.0.1:25',
    CONTACT_EMAIL: 'owner@example.com',
    MAIL_PER_HOUR: String(mailPerHour),
    REMINDERS: 'off',
  });
  const restore = fakeGlobals(world.wallTime);
  const instances: (Instance | undefined)[] = [undefined, undefined, undefined];
  const alive = (): Instance[] => instances.filter((each) => each !== undefined);
  const awake = (): Instance[] => alive().filter(({ process }) => process.frozenUntil <= world.now());
  let behaviour: BehaviourName = 'fine';
  let isDiskFull = false;
  let starts = 0;
  let fault: unknown;

  // The owner's desk. While it's open, a process that crashes can't tidy up the database's log.
  const desk: SqliteDatabase = await openSqlite(file, {
    clock: world.clockOf({ name: 'desk', bornAt: START, isDead: false, frozenUntil: 0 }),
  });
  const rows = () =>
    desk.sqlite.prepare<[], Row>('select id, message, state, message_id from contact_message').all();
  const facts: Facts = {
    world,
    mailPerHour,
    rows,
    visitors: [],
    erased: new Set(),
    owned: new Map(),
    interruptedAt: [],
    clockSetAt: 0,
    diskFullAt: 0,
  };
  const promises = createPromises(facts);

  function setRoom({ sqlite }: Instance): void {
    const pages = isDiskFull ? Number(sqlite.pragma('page_count', { simple: true })) : 4_294_967_294;
    sqlite.pragma(`max_page_count = ${pages}`);
  }

  async function start(slot: number): Promise<void> {
    if (instances[slot]) return;
    starts += 1;
    const process: Process = { name: `server ${starts}`, bornAt: world.now(), isDead: false, frozenUntil: 0 };
    const write = (line: string) => world.note(`${process.name} logs: ${JSON.parse(line).msg}`);
    const mailer = mailerOf(
      world,
      process,
      () => behaviour,
      (sending) => {
        // Thrown here, it'd be taken for a fault of the mail server.
        try {
          promises.onSend(sending);
        } catch (error) {
          fault ??= error;
        }
      },
    );
    try {
      const clock = world.clockOf(process);
      const service = await openService(settings, { log: createLog('warn', { write }), clock, mailer });
      const { sqlite } = service.database as SqliteDatabase;
      instances[slot] = { process, service, sqlite };
      if (isDiskFull) setRoom({ process, service, sqlite });
      world.note(`${process.name} starts`);
    } catch (error) {
      world.note(`${process.name} doesn't start: ${String(error)}`);
    }
    await world.settle();
  }

  /** As with kill -9: nothing it waits for happens any more, and its connection is gone. */
  function crash(slot: number): void {
    const instance = instances[slot];
    if (!instance) return;
    instances[slot] = undefined;
    instance.process.isDead = true;
    instance.sqlite.close();
    facts.interruptedAt.push(world.now());
    world.note(`${instance.process.name} crashes`);
  }

  async function stop(slot: number): Promise<void> {
    const instance = instances[slot];
    if (!instance || instance.process.frozenUntil > world.now()) return;
    const { service, process } = instance;
    service.prepareToStop();
    await world.finish(service.stopSending(), 20 * SECOND);
    await world.finish(service.close(), 20 * SECOND);
    instances[slot] = undefined;
    process.isDead = true;
    facts.interruptedAt.push(world.now());
    world.note(`${process.name} has stopped`);
  }

  /** @param isHeard whether the answer reaches the visitor */
  async function call(visitor: Visitor, isHeard: boolean): Promise<void> {
    const servers = awake();
    const server = servers[Math.floor(world.random() * servers.length)];
    world.note(`a visitor sends “${visitor.words}”${isHeard ? '' : ', and hears nothing'}`);
    if (!server) return;
    visitor.tries.push(world.now());
    const headers = {
      'content-type': 'application/json',
      apikey: KEY,
      ...(visitor.key && { 'idempotency-key': visitor.key }),
    };
    const body = JSON.stringify({ name: 'Ana', email: visitor.email, message: visitor.words });
    // As Node's HTTP server says where it comes from.
    const from = { incoming: { socket: { remoteAddress: visitor.address } } };
    const { app } = server.service;
    const answering = app.request(
      `${FUNCTIONS_PATH}/${FUNCTION_NAME}`,
      { method: 'POST', headers, body },
      from,
    );
    void Promise.resolve(answering).then(async (response) => {
      const { id = '' } = (await response.json()) as { id?: string };
      if (server.process.isDead) return;
      world.note(`“${visitor.words}” is answered ${response.status}`);
      if (response.status === 200 && isHeard) visitor.acknowledged.push(id);
    });
    await world.settle();
  }

  function check(): void {
    if (fault) throw fault;
    promises.check();
  }

  const machine = {
    world,
    visitors: facts.visitors,
    rows,
    start,
    crash,
    stop,
    again: call,
    async visit(visitor: Omit<Visitor, 'acknowledged' | 'tries'>, isHeard: boolean): Promise<void> {
      const one = { ...visitor, acknowledged: [], tries: [] };
      facts.visitors.push(one);
      await call(one, isHeard);
    },
    freeze(slot: number, ms: number): void {
      const process = instances[slot]?.process;
      if (!process) return;
      process.frozenUntil = Math.max(process.frozenUntil, world.now() + ms);
      facts.interruptedAt.push(process.frozenUntil);
      world.note(`${process.name} is frozen for ${ms / SECOND} s`);
    },
    mailServer(name: BehaviourName): void {
      behaviour = name;
      world.note(`from now on, the mail server is: ${name}`);
    },
    disk(isFull: boolean): void {
      isDiskFull = isFull;
      for (const instance of alive()) setRoom(instance);
      facts.diskFullAt = isFull ? Number.POSITIVE_INFINITY : facts.diskFullAt && world.now();
      world.note(isFull ? 'the disk is full' : 'the disk has room');
    },
    setClock(by: number): void {
      if (by === 0 && world.wallTime() === world.now()) return;
      world.setClock(by);
      facts.clockSetAt = world.now();
      world.note(`the clock is set ${by === 0 ? 'right' : `by ${by / SECOND} s`}`);
    },
    /** The owner's commands, by another process on the database. */
    async owner(deed: OwnersDeed, pick: number): Promise<void> {
      const all = rows();
      const row = all[pick % Math.max(1, all.length)];
      if (!row) return;
      const { id } = row;
      const now = world.wallTime();
      world.note(`the owner: ${deed} ${row.message}`);
      const does = {
        requeue: () => requeue(desk, 'all', now),
        spam: () => markSpam(desk, id, now),
        'not spam': () => notSpam(desk, id, now),
        erase: () => eraseMessages(desk, { id }, { mailDir, now }),
      };
      const touched = deed === 'requeue' ? all.map((each) => each.id) : [id];
      await world.finish<unknown>(does[deed](), MINUTE);
      for (const each of touched) facts.owned.set(each, world.now());
      if (deed === 'erase') facts.erased.add(id);
    },
    async advance(ms: number): Promise<void> {
      const until = world.now() + ms;
      while (world.now() < until) {
        await world.advance(Math.min(5 * MINUTE, until - world.now()));
        check();
      }
    },
    check,
    /** Everything is well again; then nothing may be left over. */
    async heal(): Promise<void> {
      world.note('everything is well from now on');
      machine.disk(false);
      machine.mailServer('fine');
      machine.setClock(0);
      if (alive().length === 0) await start(0);
      const waiting = rows().filter(({ state }) => state === 'waiting').length;
      // Half of an hour's mails are for new clients alone.
      await machine.advance(6 * HOUR + Math.ceil(waiting / Math.floor(mailPerHour / 2)) * HOUR);
      promises.checkEnd();
      world.note(
        `the end: ${rows()
          .map(({ id, state }) => `${id} ${state}`)
          .join(', ')}`,
      );
    },
    close(): void {
      for (const slot of instances.keys()) crash(slot);
      desk.sqlite.close();
      restore();
      rmSync(folder, { recursive: true, force: true });
    },
  };
  return machine;
}

/**
 * The counting of clients is a library's, which goes by `Date.now` and forgets by timers of its own. Nothing else in the
 * server may use these, see server/clock.grit.
 */
function fakeGlobals(wallTime: () => number): () => void {
  const { now } = Date;
  const { setTimeout } = globalThis;
  Date.now = wallTime;
  const timer = { unref: () => timer, ref: () => timer };
  Object.assign(globalThis, { setTimeout: () => timer });
  return () => {
    Date.now = now;
    Object.assign(globalThis, { setTimeout });
  };
}
