import type { MessageTable } from '../messages/table.ts';

type Stored = MessageTable['state'];

/** One vocabulary: what is shown, typed after --state and written into JSON and CSV. */
export const STATES = ['waiting', 'delivered', 'set-aside', 'spam'] as const;
export type State = (typeof STATES)[number];

const NAMES: Record<Stored, State> = {
  waiting: 'waiting',
  sent: 'delivered',
  set_aside: 'set-aside',
  spam: 'spam',
};

export const MEANINGS: Record<State, string> = {
  waiting: 'stored, and waiting to be mailed to you',
  delivered: 'mailed to you',
  'set-aside': 'stored, but the mail server did not take it, and it is not tried again',
  spam: 'stored and not mailed: it filled in a field that people do not see',
};

export function stateName(stored: Stored): State {
  return NAMES[stored];
}

export function storedState(name: State): Stored {
  const [stored] = (Object.keys(NAMES) as Stored[]).filter((key) => NAMES[key] === name);
  if (!stored) throw new Error(`No stored state is called ${name}`);
  return stored;
}
