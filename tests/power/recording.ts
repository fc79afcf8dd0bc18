import { spawn } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { expect } from 'vitest';
import { DEFAULT_ANON_KEY, FUNCTION_NAME, FUNCTIONS_PATH } from '../../contract/contact-message.ts';
import { temporaryFolder } from '../support/service/open-test-service.ts';
import { type ServerProcess, startServer, watchProcess } from '../support/service/server-process.ts';
import { Disk, type State } from './disk.ts';
import type { Planted } from './plant.ts';
import { type Call, readCalls, tracer } from './system-calls.ts';

const ROOT = join(import.meta.dirname, '../..');
const PLANT = join(import.meta.dirname, 'plant.ts');

/** What programs did to a folder, and what they told people meanwhile. */
export type Recording = {
  folder: string;
  /** What was in it before, for good. */
  start: State;
  calls: Call[];
  /** The words of each message that was answered 200, by its id. */
  words: Map<string, string>;
  /** Those erased by the desk, in order. */
  erased: string[];
  /** The content of each file when it got its name by a rename or a link. */
  whole: Map<string, Buffer>;
  /** Keeps it, and says where, for `readRecording`. */
  keep: () => string;
};

type Kept = { folder: string; words: [id: string, text: string][]; erased: string[] };

type Options = {
  planted?: Planted | undefined;
  /** Defaults to a new folder for SQLite's file and the mails. */
  folder?: string;
  start?: State;
  env?: Record<string, string>;
};

/** Runs programs that work on one folder, all of them under strace. */
export function openRecorder({
  planted,
  start = { files: new Map(), folders: [] },
  ...options
}: Options = {}) {
  const home = realpathSync(temporaryFolder());
  const folder = options.folder ?? join(home, 'disk');
  const file = join(folder, 'data/contact.db');
  mkdirSync(folder, { recursive: true });
  const env = {
    DATABASE_URL: `file:${file}`,
    MAIL_DIR: join(folder, 'mail'),
    ...options.env,
    ...(planted && { TEST_PLANTED: JSON.stringify(planted) }),
  };
  const nodeOptions = planted ? ['--import', PLANT] : [];
  const logs: string[] = [];
  const words = new Map<string, string>();
  const erased: string[] = [];
  let visitors = 0;

  function under(): string[] {
    const log = join(home, `calls-${logs.length}`);
    logs.push(log);
    return [...tracer(), '-o', log];
  }

  async function run(...command: string[]): Promise<void> {
    const [strace = '', ...options] = under();
    const child = spawn(strace, [...options, ...command], {
      cwd: home,
      env: { PATH: process.env.PATH ?? '', ...env },
    });
    const { exited, out } = watchProcess(child);
    expect(await exited, out()).toBe(0);
  }

  const desk = (...args: string[]) =>
    run(process.execPath, ...nodeOptions, join(ROOT, 'desk/desk-command.ts'), ...args);

  return {
    /** Of the messages. */
    file,

    start: (): Promise<ServerProcess> => startServer(home, env, { under: under(), nodeOptions }),

    backUp: (name: string) => desk('backup', join(folder, name)),

    restore: (name: string) => desk('restore', join(folder, name)),

    async erase(id: string): Promise<void> {
      erased.push(id);
      const program = `
        import { eraseMessages } from '${ROOT}/server/messages/erase.ts';
        import { openDatabase } from '${ROOT}/server/messages/open.ts';
        const database = await openDatabase({ engine: 'sqlite', file: '${file}' });
        await eraseMessages(database, { id: '${id}' }, { mailDir: '${env.MAIL_DIR}', now: Date.now() });
        await database.close();
        console.log('Erased 1 message');`;
      await run(process.execPath, ...nodeOptions, '--input-type=module', '--eval', program);
    },

    /** A message of a new visitor. Resolves to its id once it's answered 200. */
    async send({ url }: ServerProcess, text: string): Promise<string | undefined> {
      visitors += 1;
      const response = await fetch(`${url}${FUNCTIONS_PATH}/${FUNCTION_NAME}`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          apikey: DEFAULT_ANON_KEY,
          'x-forwarded-for': `10.1.${visitors >> 8}.${visitors & 255}`,
        },
        body: JSON.stringify({ name: 'Ana Souza', email: `ana${visitors}@example.org`, message: text }),
      });
      const { id } = (await response.json()) as { id?: string };
      if (response.status !== 200 || id === undefined) return undefined;
      words.set(id, text);
      return id;
    },

    /** Call it once every program has ended. Fails if the model doesn't end with the files that are there. */
    finish(): Recording {
      const recording = toRecording({ folder, words: [...words], erased }, start, logs);
      const disk = new Disk(folder, { start });
      for (const call of recording.calls) disk.apply(call);
      const end = disk.newest().files;
      const there = readFolder(folder).files;
      expect([...end.keys()].toSorted()).toEqual([...there.keys()].toSorted());
      expect(
        [...end].filter(([path, bytes]) => !there.get(path)?.equals(bytes)).map(([path]) => path),
      ).toEqual([]);
      return recording;
    },
  };
}

/** Everything in a folder, apart from SQLite's shared memory. */
export function readFolder(folder: string): State {
  const state: State = { files: new Map(), folders: [] };
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isDirectory()) state.folders.push(path);
    else if (!path.endsWith('-shm')) state.files.set(path, readFileSync(path));
  }
  return state;
}

function toRecording(kept: Kept, start: State, logs: string[]): Recording {
  const { folder, erased } = kept;
  const calls = readCalls(logs, folder);
  const disk = new Disk(folder, { start });
  const whole = new Map<string, Buffer>();
  for (const call of calls) {
    disk.apply(call);
    const bytes = call.kind === 'rename' || call.kind === 'link' ? disk.contentOf(call.to) : undefined;
    if ('to' in call && bytes) whole.set(call.to, bytes);
  }
  const words = new Map(kept.words);
  const answered = new Set(calls.map(answeredIn));
  expect([...words.keys()].filter((id) => !answered.has(id))).toEqual([]);
  return {
    folder,
    start,
    calls,
    words,
    erased,
    whole,
    keep() {
      const place = mkdtempSync(join(tmpdir(), 'power-cut-'));
      for (const log of logs) cpSync(log, join(place, basename(log)));
      writeFileSync(join(place, 'kept.json'), JSON.stringify(kept));
      return place;
    },
  };
}

/** A recording that began with an empty folder. */
export function readRecording(place: string): Recording {
  const kept = JSON.parse(readFileSync(join(place, 'kept.json'), 'utf8')) as Kept;
  const logs = readdirSync(place).filter((name) => name.startsWith('calls-'));
  return toRecording(
    kept,
    { files: new Map(), folders: [] },
    logs.map((name) => join(place, name)),
  );
}

/** The id of the message that an answer confirms. */
export function answeredIn(call: Call): string | undefined {
  return call.kind === 'say' ? /"ok":true,"id":"([^"]+)"/.exec(call.text)?.[1] : undefined;
}
