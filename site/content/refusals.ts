import { refusals as english, type Refusals } from '../../contract/refusal-sentences.ts';
import { group, wordsWith } from '../ui/shape.ts';

// The sentences are in contract/refusal-sentences.ts, since the server says them: copy that file to your folder, not this one.
export const refusals: Refusals = english;

/* For the build: what it asks of the words above. Nothing below shows on the page. */
type Words = string | { readonly [name: string]: Words };
/** The same texts as ours, each with no other {places} than ours has. */
const like = (ours: Words): ReturnType<typeof wordsWith> | ReturnType<typeof group> =>
  typeof ours === 'string'
    ? wordsWith(...[...ours.matchAll(/\{(\w+)\}/g)].map(([, place = '']) => place))
    : group(Object.fromEntries(Object.entries(ours).map(([name, inner]) => [name, like(inner)])));
export const shape = { refusals: like({ ...english }) };
