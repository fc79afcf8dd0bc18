import { mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ownFiles } from '../../build/owners-words.ts';
import { openSqlite } from '../../server/messages/open.ts';
import { figure, inLongRun } from '../long.ts';
import { rowAt } from '../support/database/message-rows.ts';
import { runDesk } from '../support/desk/desk-process.ts';
import { temporaryFolder } from '../support/service/open-test-service.ts';
import { randomFrom } from '../support/service/random.ts';
import { cuts } from './cuts.ts';
import { digestOf, putBack } from './disk.ts';
import { folderInMemory, lookAtMessages } from './judge.ts';
import type { Planted } from './plant.ts';
import { openRecorder, type Recording, readFolder } from './recording.ts';
import { whyNoStrace } from './system-calls.ts';

const withStrace = test.skipIf(whyNoStrace() !== undefined);

/** What reads a file as a blob keeps it open until the process ends. */
const OWN_PROCESS = { input: '' };

const BACKUP = 'kept.zip';
const WORDS = { 'words.json': '{"note": "hers"}', 'history.json': '{}', 'founder.jpg': 'x'.repeat(9_000) };
const MAIL = '2026-11-21T12-00-00Z-01a1fb9c-0000-7000-8000-000000000000.eml';

/** A disk with nothing but a backup: three messages, three files of the owner's, a mail. */
async function diskWithBackup(): Promise<string> {
  const home = temporaryFolder();
  const database = await openSqlite(join(home, 'contact.db'));
  const rows = [0, 1, 2].map((place) => rowAt(place, { message: `${place} `.repeat(4_000) }));
  await database.write(database.db.insertInto('contact_message').values(rows));
  await database.close();
  mkdirSync(join(home, 'words'));
  for (const [name, text] of Object.entries(WORDS)) writeFileSync(join(home, 'words', name), text);
  mkdirSync(join(home, 'mail'));
  writeFileSync(join(home, 'mail', MAIL), 'Subject: hers\r\n\r\nHello.\r\n');
  const disk = join(realpathSync(temporaryFolder()), 'disk');
  mkdirSync(disk);
  const { code, err } = await runDesk(home, ['backup', join(disk, BACKUP)], OWN_PROCESS);
  expect({ code, err }).toMatchObject({ code: 0 });
  return disk;
}

/** Restores the backup under strace, and says what's wrong with the first disk that breaks a promise. */
async function cutWhileRestoring(
  states: number,
  planted?: Planted,
): Promise<{ states: number; broken?: string; recording: Recording }> {
  const folder = await diskWithBackup();
  const start = readFolder(folder);
  const recorder = openRecorder({ folder, start, planted, env: { WORDS_DIR: join(folder, 'mine') } });
  await recorder.restore(BACKUP);
  const recording = recorder.finish();
  const { calls, whole } = recording;
  const saidAt = calls.find((call) => call.kind === 'say' && call.text.startsWith('Restored 3 messages'))?.at;
  if (saidAt === undefined) return expect.fail('It didn’t say that it’s done');
  const files = [...Object.keys(WORDS).map((name) => join(folder, 'mine', name)), join(folder, 'mail', MAIL)];
  const place = folderInMemory();
  const seen = new Set<string>();
  const random = randomFrom(1);
  const density = Math.min(1, states / calls.length);
  const isTold = ({ at }: { at: number }) => at === saidAt;
  for (let pass = 0; pass < 10 && seen.size < states; pass += 1) {
    for (const { after, state } of cuts(recording, { random, density, isTold })) {
      const digest = digestOf(state);
      if (seen.has(digest)) continue;
      seen.add(digest);
      putBack(state, folder, place);
      const found = await lookAtMessages(join(place, 'data/contact.db'));
      const there = files.filter((path) => state.files.has(path));
      const half = there.find((path) => !whole.get(path)?.equals(state.files.get(path) ?? Buffer.of()));
      const broken = (what: string) => ({
        states: seen.size,
        broken: `After call ${after.at}: ${what}`,
        recording,
      });
      if (half) return broken(`${half} isn’t whole`);
      if ('fault' in found) return broken(found.fault);
      if (![0, 3].includes(found.rows.size)) return broken(`${found.rows.size} of 3 messages are there`);
      if (after.at >= saidAt && found.rows.size === 0) return broken('the restored messages are missing');
      // The messages come last, so that an empty database says that it has to be run again.
      if (found.rows.size > 0 && there.length < files.length)
        return broken('the messages are there, and not the files');
    }
  }
  return { states: seen.size, recording };
}

withStrace(
  'a power cut during a restore leaves all of it, or a database that’s empty, and it can be run again',
  async () => {
    const { states, broken, recording } = await cutWhileRestoring(inLongRun(3_000, 200));
    expect(broken).toBeUndefined();
    figure(`${states} disks after power cuts while a backup is restored`);
    const { folder, calls } = recording;
    const named = calls.filter(({ kind }) => kind === 'link').map(({ at }) => at);
    const again = [...cuts(recording, { random: randomFrom(2), density: 0, isTold: () => false })].filter(
      ({ after }) => named.includes(after.at),
    );
    expect(again.length).toBeGreaterThan(2);
    for (const { state } of again) {
      const home = temporaryFolder();
      putBack(state, folder, home);
      const env = {
        DATABASE_URL: `file:${join(home, 'data/contact.db')}`,
        MAIL_DIR: join(home, 'mail'),
        WORDS_DIR: join(home, 'mine'),
      };
      const run = await runDesk(home, ['restore', join(home, BACKUP)], {
        env,
        ...OWN_PROCESS,
      });
      expect(run.err).toBe('');
      expect(run.out).toMatch(/^Restored 3 messages/);
      expect(await ownFiles(join(home, 'mine'))).toEqual(Object.keys(WORDS).toSorted());
    }
  },
);

withStrace('a planted fault is found: a restored file that gets its name before it is synced', async () => {
  const synced = `await fsync(unfinished);
        await giveName(unfinished, path);`;
  const { broken } = await cutWhileRestoring(200, {
    file: 'desk/output-file.ts',
    change: [[synced, synced.split('\n').toReversed().join('\n')]],
  });
  expect(broken).toMatch(/isn’t whole/);
});
