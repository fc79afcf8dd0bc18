import { refusals as english } from '../../contract/refusal-sentences.ts';
import { fieldOf, group, titleOf, wordsWith } from '../ui/shape.ts';

// The sentences are in contract/refusal-sentences.ts, since the server says them.
export const refusals: typeof english = english;

type Words = string | { readonly [name: string]: Words };
const TITLES: Readonly<Record<string, string>> = {
  fields: 'Beside the field that’s wrong',
  missing: 'If it’s empty',
  tooLong: 'If it’s too long',
  invalid: 'If it isn’t an address',
  key: 'If the page can’t identify itself',
  origin: 'If the form is on another website',
  method: 'If it’s sent in another way',
  unknownFunction: 'If there’s no form at the address',
  type: 'If it isn’t what the form sends',
  tooLarge: 'If the whole message is too long',
  badJson: 'If it arrived incomplete',
  tooMany: 'If there were too many messages',
  notStored: 'If it couldn’t be saved',
  unsure: 'If nobody knows whether it was saved',
  unforeseen: 'For everything else',
  goBack: 'Added without JavaScript if what was typed can’t be shown',
  page: 'Plain page without JavaScript, on Supabase',
  again: 'Button that sends it again',
  back: 'Link back to the page',
};
/** The same texts as ours, each with no {places} but ours. */
const like = (ours: Words): ReturnType<ReturnType<typeof wordsWith> | typeof group> =>
  typeof ours === 'string'
    ? wordsWith(...[...ours.matchAll(/\{(\w+)\}/g)].map(([, place = '']) => place))()
    : group(
        Object.fromEntries(
          Object.entries(ours).map(([name, inner]) => {
            const shape = like(inner);
            return [name, fieldOf(shape)(TITLES[name] ?? titleOf(name, shape))];
          }),
        ),
      );
export const shape = {
  refusals: fieldOf(like({ ...english }))(
    'When the server can’t take a message',
    'What visitors see then. Most only ever see “too many”, “couldn’t be saved” and “everything else”.',
  ),
};
