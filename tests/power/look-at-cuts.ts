import { expect } from 'vitest';
import { randomFrom } from '../support/service/random.ts';
import { type Cut, cuts, story } from './cuts.ts';
import { digestOf } from './disk.ts';
import { brokenPromise, type Found, promisesOf } from './judge.ts';
import type { Recording } from './recording.ts';

const MOST_PASSES = 30;
/** About so many of the disks are handed back. */
const SOME = 20;

type Looks = {
  /** The same seed takes the same disks of the same recording. Odd ones tear files at 512 bytes instead of 4 kB. */
  seed: number;
  /** How many different disks to look at. */
  states: number;
  /** Which part of the disk has the messages. */
  isMessages?: (path: string) => boolean;
  look: (cut: Cut) => Promise<Found>;
};

/** Looks at disks that power cuts could have left, until one breaks a promise. */
export async function lookAtCuts(
  recording: Recording,
  { seed, states, look, isMessages = () => true }: Looks,
): Promise<{ states: number; some: Cut[]; broken?: string }> {
  const promises = promisesOf(recording);
  expect(promises.told.size).toBeGreaterThan(0);
  const found = new Map<string, Found>();
  const seen = new Set<string>();
  const some: Cut[] = [];
  const random = randomFrom(seed);
  const options = {
    random,
    sectors: seed % 2 === 1,
    density: Math.min(1, states / recording.calls.length / 4),
    isTold: (call: Cut['after']) => promises.told.has(call),
  };
  // A short recording may have fewer than are wanted.
  for (let pass = 0; pass < MOST_PASSES && seen.size < states; pass += 1) {
    for (const cut of cuts(recording, options)) {
      const disk = digestOf(cut.state);
      if (!seen.has(disk) && random() < SOME / states) some.push(cut);
      seen.add(disk);
      const digest = digestOf(cut.state, isMessages);
      const known = found.get(digest) ?? (await look(cut));
      found.set(digest, known);
      const broken = brokenPromise(recording, promises, cut, known);
      if (broken) {
        const told = `Seed ${seed}. ${story(cut, recording)}\nThen ${broken.replaceAll(`${recording.folder}/`, '')}.`;
        return { states: seen.size, some, broken: told };
      }
    }
  }
  return { states: seen.size, some };
}
