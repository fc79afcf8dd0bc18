import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type Sqlite from 'better-sqlite3';
import { CLIENT_INFO, clientInfo, FUNCTION_NAME, FUNCTIONS_PATH } from '../../contract/contact.ts';
import type { SqliteDatabase } from '../../messages/database.ts';
import { eraseMessages } from '../../messages/erase.ts';
import { openSqlite } from '../../messages/open.ts';
import { markSpam, notSpam, requeue, setAnswered } from '../../messages/states.ts';
import { createLog } from '../../server/log.ts';
import { openService, type Service } from '../../server/service.ts';
import { readSettings } from '../../settings/settings.ts';
import { broken, type Facts, type Plan, type Row, TIME_ZONE, type Visitor } from './facts.ts';
import { createJobPromises } from './jobs.ts';
import { BEHAVIOURS, type BehaviourName, createMailServer, type Sending } from './mail-server.ts';
import { createMailbox } from './mailbox.ts';
import { createMailboxPromises } from './mailbox-promises.ts';
import { createPromises, UUID } from './promises.ts';
import { createWorld, type Process, type World } from './world.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const START = Date.UTC(2026, 10, 21, 12);
const KEY = 'sb_publishable_of_this_test';
const OWNER = 'owner@example.com';
const MAILED_WITHIN = 4 * HOUR;
const ANSWERED_WITHIN = 20 * SECOND;
/** For so long, a purge takes a clock that's far ahead for a fault. */
const DOUBTED = 20 * HOUR;
/** How often all that's stored is looked through, beside each step's end. */
const LOOK_THROUGH = 6 * HOUR;

const NAMES = Object.keys(BEHAVIOURS) as BehaviourName[];

/** RAM, where there's some. */
const ROOT = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();

type Instance = { process: Process; service: Service; sqlite: Sqlite.Database };

export type Site = Awaited<ReturnType<typeof openSite>>;

/** The site on one machine: its processes, its owner, its visitors, and all they depend on. */
export async function openSite(seed: number, plan: Plan) {
  const folder = mkdtempSync(join(ROOT, 'simulation-'));
  const file = join(folder, 'contact.db');
  // Where nothing is, since mails go by SMTP here.
  const mailDir = join(folder, 'mail');
  const world = createWorld(seed, START);
  const instances: (Instance | undefined)[] = [undefined, undefined, undefined];
  let behaviour: BehaviourName | 'any' = 'fine';
  const unanswered = new Set<{ at: number; process: Process }>();
  let starts = 0;
  let lookedAt = START;
  let clockWrongSince = START;
  let clockSteps = 0;

  const mailbox = plan.imap ? createMailbox(world) : undefined;
  const mails = createMailServer(
    world,
    ({ messageId }) => {
      if (behaviour === 'any') return NAMES[Math.floor(world.random() * NAMES.length)] ?? 'fine';
      return behaviour === 'fine' && isUnmailable(messageId) ? 'content refused' : behaviour;
    },
    mailbox?.deliver,
  );

  const restore = fakeGlobals(world, (url, init) => answerFetch(url, init));

  const settingsFor = (name: string) =>
    readSettings({
      VITE_SUPABASE_ANON_KEY: KEY,
      DATABASE_URL: `file:${file}`,
      MAIL_DIR: mailDir,
      SMTP_URL: 'smtp://127.0.0.1:25',
      CONTACT_EMAIL: OWNER,
      TIME_ZONE,
      MAIL_PER_HOUR: String(plan.mailPerHour),
      DIGEST: plan.digest,
      REMINDERS: plan.reminders,
      QUIET_HOURS: plan.quietHours,
      RETENTION_DAYS: plan.retentionDays,
      ALERT_WEBHOOK_URL: `http://hook.test/${name}`,
      ...(plan.imap && { IMAP_URL: 'imaps://owner:secret@imap.test' }),
      LOG_LEVEL: 'info',
    });

  // The owner's desk, on the same machine. While it's open, a process that crashes can't tidy up the database's log.
  const deskProcess: Process = { name: 'desk', bornAt: START, isDead: false, frozenUntil: 0 };
  const outside: Process = { name: 'outside', bornAt: START, isDead: false, frozenUntil: 0 };
  const desk: SqliteDatabase = await openSqlite(file, world.clockOf(deskProcess));
  const rows = (which = '') => desk.sqlite.prepare<[], Row>(`select * from contact_message ${which}`).all();
  const alive = (): Instance[] => instances.filter((each) => each !== undefined);
  const awake = (): Instance[] => alive().filter(({ process }) => process.frozenUntil <= world.now());

  const facts: Facts = {
    world,
    plan,
    mails,
    rows,
    rowOf: (id) => desk.sqlite.prepare<[string], Row>('select * from contact_message where id = ?').get(id),
    servers: () => alive().map(({ process }) => process),
    visitors: [],
    erased: new Set(),
    owned: new Map(),
    refusals: [],
    alertedAt: Number.NEGATIVE_INFINITY,
    hook: { works: true, since: START },
    mail: { works: true, since: START },
    disk: { works: true, since: Number.NEGATIVE_INFINITY },
    clockSetAt: Number.NEGATIVE_INFINITY,
    clockSetBackAt: Number.NEGATIVE_INFINITY,
    latestTime: START,
    misled: 0,
    ends: [],
    crashedAt: Number.NEGATIVE_INFINITY,
    thawedAt: Number.NEGATIVE_INFINITY,
  };
  const { visitors, erased } = facts;
  const promises = createPromises(facts);
  const jobs = createJobPromises(facts, settingsFor('the promises'));
  const mailboxPromises = mailbox && createMailboxPromises(facts, mailbox);

  /** A visitor's words say what becomes of them. */
  function isUnmailable(messageId: string): boolean {
    const row = desk.sqlite
      .prepare<[string], { message: string }>('select message from contact_message where message_id = ?')
      .get(messageId);
    return row?.message.includes('unmailable') ?? false;
  }

  function onSend(next: Sending): void {
    const { id, messageId } = next.mail;
    world.note(`${next.process.name}: sends ${messageId}`);
    const about = UUID.exec(id)?.[0];
    if (about !== undefined && !facts.rowOf(about))
      throw broken(facts, `a message that was erased is mailed: ${messageId}`);
    if (about === id) promises.onSend(next);
    else jobs.onSend(next);
  }

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
        openMailbox: mailbox?.openerOf(process),
      });
      const { sqlite } = service.database as SqliteDatabase;
      instances[slot] = { process, service, sqlite };
      if (!facts.disk.works) fill(sqlite);
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
    mailbox?.vanish(instance.process);
    facts.ends.push(world.now());
    facts.crashedAt = world.now();
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
    facts.ends.push(world.now());
  }

  function freeze(process: Process | undefined, ms: number): void {
    if (!process || process.isDead) return;
    // Already frozen, it may be for longer.
    process.frozenUntil = Math.max(process.frozenUntil, world.now() + ms);
    facts.thawedAt = Math.max(facts.thawedAt, process.frozenUntil);
    world.note(`${process.name} is frozen for ${ms / SECOND} s`);
  }

  function fill(sqlite: Sqlite.Database): void {
    const pages = Number(sqlite.pragma('page_count', { simple: true }));
    sqlite.pragma(`max_page_count = ${pages}`);
  }

  /** What a server asks of another one by HTTP: here the owner's alerts. */
  function answerFetch(url: string, { body, signal }: RequestInit): Promise<Response> {
    const { pathname } = new URL(url);
    const name = decodeURIComponent(pathname.slice(1));
    const process = alive().find((each) => each.process.name === name)?.process;
    return new Promise((resolve, reject) => {
      if (!process) return;
      const answer = (): void => {
        if (!facts.hook.works) {
          reject(Object.assign(new TypeError('fetch failed'), { cause: { code: 'ECONNREFUSED' } }));
          return;
        }
        const { text } = JSON.parse(String(body)) as { text: string };
        facts.alertedAt = world.now();
        mailboxPromises?.told(text);
        world.note(`the owner is told by ${name}: ${text}`);
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
        ...(visitor.trap && { [CLIENT_INFO]: clientInfo(true, 20 * SECOND) }),
      },
      body: JSON.stringify({ name: 'Ana', email: visitor.email, message: visitor.words }),
    };
    const { clockSetAt, thawedAt } = facts;
    visitor.tries.push({ at: world.now(), clockSetAt, thawedAt });
    const asked = { at: world.now(), process };
    unanswered.add(asked);
    const answering = Promise.resolve(
      service.app.request(`${FUNCTIONS_PATH}/${FUNCTION_NAME}`, request, comingFrom(visitor.address)),
    );
    answering.then(
      async (response) => {
        unanswered.delete(asked);
        const answer = (await response.json()) as { id?: string };
        if (process.isDead) return;
        world.note(`“${visitor.words}” is answered ${response.status}`);
        if (response.status === 503) facts.refusals.push({ at: world.now(), process });
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
    mails: mails.taken,
    servers: () => starts,
    start,
    crash,
    stop,
    async visit(
      visitor: Omit<Visitor, 'acknowledged' | 'tries'>,
      way: Parameters<typeof call>[1],
    ): Promise<void> {
      const one = { ...visitor, acknowledged: [], tries: [] };
      visitors.push(one);
      await call(one, way);
    },
    again: call,
    freeze: (slot: number, ms: number): void => freeze(instances[slot]?.process, ms),
    /** Whoever has the latest mail in hand. */
    freezeSender(ms: number): void {
      const last = mails.last();
      if (last?.answer === undefined) freeze(last?.process, ms);
    },
    mailServer(name: BehaviourName | 'any'): void {
      if (name === behaviour) return;
      behaviour = name;
      facts.mail = { works: name === 'fine', since: world.now() };
      world.note(`from now on, the mail server is: ${name}`);
    },
    webhook(works: boolean): void {
      if (works === facts.hook.works) return;
      facts.hook = { works, since: world.now() };
      world.note(`the webhook ${works ? 'works' : "doesn't answer"}`);
    },
    disk(isFull: boolean): void {
      if (isFull !== facts.disk.works) return;
      facts.disk = { works: !isFull, since: world.now() };
      for (const { sqlite } of alive())
        if (isFull) fill(sqlite);
        else sqlite.pragma('max_page_count = 4294967294');
      world.note(isFull ? 'the disk is full' : 'the disk has room');
    },
    setClock(by: number): void {
      if (by === 0 && world.isClockRight()) return;
      noteTime();
      if (world.isClockRight()) [clockWrongSince, clockSteps] = [world.now(), DAY];
      // A day ahead may be a day without a server.
      if (by <= DAY) clockSteps += Math.max(by, 0);
      const before = world.wallTime();
      world.setClock(by);
      noteTime();
      facts.clockSetAt = world.now();
      if (world.wallTime() < before) facts.clockSetBackAt = world.now();
      world.note(`the clock is set ${by === 0 ? 'right' : `by ${by / SECOND} s`}`);
    },
    /** What happens to the machine or around it, whatever its processes do. */
    later: (ms: number, deed: () => void): void => void world.after(outside, ms, deed),
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
      const own = () => {
        if (deed !== 'answered') for (const each of touched) facts.owned.set(each, world.now());
      };
      own();
      await world.finish<unknown>(does[deed](), MINUTE);
      own();
      for (const each of touched) mailboxPromises?.said(each, deed);
      if (deed === 'erase') erased.add(id);
    },
    mailbox,
    /** What she does in her mail program. */
    mailProgram: mailboxPromises?.does,
    async advance(ms: number): Promise<void> {
      const until = world.now() + ms;
      while (world.now() < until) {
        await world.advance(Math.min(world.isCalm() ? 30 * MINUTE : 5 * MINUTE, until - world.now()));
        check();
        if (world.now() - lookedAt >= LOOK_THROUGH) checkAll();
      }
    },
    checkAll,
    heal,
    async close(): Promise<void> {
      for (const slot of instances.keys()) await crash(slot);
      desk.sqlite.close();
      restore();
      rmSync(folder, { recursive: true, force: true });
    },
  };
  return site;

  /** What must be true at any moment, as far as it's cheap to see. */
  function check(): void {
    const why = world.broken();
    if (why) throw why;
    const undelivered = rows("where state in ('waiting', 'set_aside')");
    promises.check(undelivered);
    jobs.check();
    const isAllWell = jobs.wellSince() < world.now() && facts.hook.works && instances.every(isAwake);
    const isWaiting = undelivered.some(({ state }) => state === 'waiting');
    if (isAllWell && !isWaiting) world.calm();
  }

  /** What a purge goes by: the clock, unless it's far ahead and hasn't been so for long. */
  function noteTime(): void {
    facts.latestTime = Math.max(facts.latestTime, world.wallTime());
    const isBelieved = !world.isClockRight() && world.now() - clockWrongSince > DOUBTED;
    facts.misled = Math.max(facts.misled, isBelieved ? Number.POSITIVE_INFINITY : clockSteps);
  }

  function isAwake(instance: Instance | undefined): boolean {
    return !instance || instance.process.frozenUntil <= world.now();
  }

  function checkAll(): void {
    check();
    for (const asked of unanswered) {
      const { at, process } = asked;
      if (process.isDead || process.frozenUntil > at) unanswered.delete(asked);
      else if (world.now() > at + ANSWERED_WITHIN) throw broken(facts, 'a visitor waits, and gets no answer');
    }
    const stored = rows();
    noteTime();
    promises.checkAll(stored);
    jobs.checkAll(stored);
    mailboxPromises?.checkAll(stored);
    lookedAt = world.now();
  }

  /** Everything is well again; then nothing may be left over. */
  async function heal(): Promise<void> {
    world.note('everything is well from now on');
    const thawed = Math.max(world.now(), ...alive().map(({ process }) => process.frozenUntil));
    site.disk(false);
    site.webhook(true);
    site.mailServer('fine');
    mailbox?.behave('fine');
    mailbox?.land('INBOX');
    site.setClock(0);
    if (alive().length === 0) await start(0);
    // The pause after a refused login may still last so long.
    await site.advance(thawed - world.now() + 31 * MINUTE);
    // A mail that goes out shows that the mail server is back.
    await site.visit(
      { words: 'all well?', email: 'last@example.org', address: '192.0.2.1', key: 'last' },
      'there and back',
    );
    await site.advance(MINUTE);
    const waiting = () => rows().filter(({ state }) => state === 'waiting');
    const isOver = () => waiting().length === 0;
    const isServers = ({ id }: Row) =>
      mails.of(id).findLast(({ answer }) => answer !== undefined)?.isServers ?? false;
    const most = waiting().length;
    const budget = Math.floor((most + promises.lately()) / Math.floor(plan.mailPerHour / 2)) * HOUR;
    for (let passed = 0; !isOver() && passed < MAILED_WITHIN + budget; passed += 10 * MINUTE) {
      await site.advance(10 * MINUTE);
      const forgotten = waiting().find(isServers);
      if (forgotten && passed >= budget + 10 * MINUTE)
        throw broken(
          facts,
          `“${forgotten.message}” still waits for the mail server, which others have shown to be back`,
        );
    }
    const [late] = waiting();
    if (late) throw broken(facts, `“${late.message}” still waits hours after all is well`);
    await site.advance(10 * MINUTE);
    promises.checkEnd();
    if (mailbox) {
      // An hour after the password was refused, it's tried again.
      await site.advance(30 * MINUTE);
      checkAll();
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
