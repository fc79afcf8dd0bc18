/** Set by `npm test -- --long`, which runs some tests much longer, with new random numbers each time. */
const LONG = process.env.LONG_TESTS === '1';

export function inLongRun<T>(long: T, otherwise: T): T {
  return LONG ? long : otherwise;
}
