import { uniformFloat64 } from 'pure-rand/distribution/uniformFloat64';
import { mersenne } from 'pure-rand/generator/mersenne';

/** Numbers from 0 up to, but not including, 1: the same ones from the same seed, a whole number. */
export function randomFrom(seed: number): () => number {
  const generator = mersenne(seed);
  return () => uniformFloat64(generator);
}
