import { createHash } from 'node:crypto';

/** Whether the hidden field was filled in, how long the page had been open, and how many sent the same text within the hour. */
type Circumstances = { trap?: boolean | undefined; openMs?: number | undefined; others?: number | undefined };

/** Nobody goes to the form, lets the browser fill it in, pastes a text and presses the button within this. Programs do. */
const FASTEST_PERSON_MS = 2_000;
/** Fewer may be one person with two devices and two addresses. */
const OTHERS = 3;
/** In letters. Two people may well write the same few words. */
const SHORTEST_COPY = 50;

const LINK = /(?:https?:\/\/|\bwww\.)[^\s<>"'\])]+/giu;
const WORD = /\p{L}[\p{L}\p{M}]*/gu;

/** Each is enough to hold a message back. None looks at what a message says. */
const WHY = {
  trap: 'a field that people don’t see was filled in',
  fast: 'the form was sent faster than a person can type',
  copies: 'several senders sent the same text within an hour',
};

export type Sign = keyof typeof WHY;

export function reasonsToHold({ trap = false, openMs = Infinity, others = 0 }: Circumstances): Sign[] {
  const holds = { trap, fast: openMs < FASTEST_PERSON_MS, copies: others >= OTHERS };
  return (Object.keys(WHY) as Sign[]).filter((sign) => holds[sign]);
}

/** Why a message is held back, for the owner, after "because": `a field that people don’t see was filled in`. */
export function whyHeld(signs: string): string {
  const whyOf = (sign: string) =>
    Object.hasOwn(WHY, sign) ? WHY[sign as Sign] : 'another version of this site took it for spam';
  return [...new Set(signs.split(' ').map(whyOf))].join(', and ');
}

/** The same for messages that differ only in names, links and numbers. Undefined if it's too short to tell. */
export function copyKey(text: string): string | undefined {
  const said = text.normalize('NFKC').replace(LINK, ' ').toLowerCase().match(WORD)?.join(' ') ?? '';
  if (said.length < SHORTEST_COPY) return undefined;
  return `text ${createHash('sha256').update(said).digest('base64url')}`;
}
