/*
 * People, in paper units from the point between their feet; an adult is 91 tall. They face the lower left, or the lower
 * right when mirrored. Solid trousers and hair make them stand out among outlined objects.
 */
import type { ReactNode } from 'react';
import { type Point, short } from '../projection.ts';

/** Arms by pose: shoulder, elbow, hand. */
const ARMS = {
  work: 'M-10-62-18-50-29-46M11-62 7-47-10-42',
  carry: 'M-10-62-16-49-27-45M11-62 9-47-8-41',
  worry: 'M-10-64-21-75-9-87M11-64 22-75 10-87',
  wait: 'M-10-62-17-50-11-40M11-62 18-50 12-40',
  point: 'M-10-63-22-66-34-73M11-62 16-48 3-44',
  type: 'M-10-62-14-49 2-52M11-62 21-53 34-59',
  read: 'M-10-62-19-50-12-50M11-62 13-48-2-46',
  shrug: 'M-10-62-20-53-31-62M11-62 21-53 32-62',
  call: 'M-10-62-21-52-10-73M11-62 22-54 34-60',
} as const;

export type Pose = keyof typeof ARMS;

/** Trousers and shoes, hip to toe: the weight on one leg, or in mid-step. */
const LEGS = {
  stand: 'M5-38 7-21 7-4 1-1M-5-38-10-22-7-6-13-4',
  walk: 'M-4-38-13-26-14-8-21-6M5-38 9-21 17-8 13-1',
  sit: '',
} as const;
/** What a hand holds: a tape gun, a pen, a phone, a tablet. */
const TOOLS: Partial<Record<Pose, string>> = {
  work: 'M-38-50h8l3 8h-5v-3h-6z',
  point: 'M-31-71-42-83-45-77z',
  call: 'M-14-86h5v14h-5z',
  read: 'M-28-60-13-58v16l-15-2z',
};
/** A jacket, shoulders to hip, and its shaded side. */
const TORSO = 'M-12-36-11-62q0-10 11-10t12 10l1 26q-13 6-25 0z';
const SHADE = 'M4-34q0-20-2-38q10 1 10 10l1 26z';

/** An apron over the jacket. */
const APRON = 'M-8-60q8 4 15 0l1 30q-10 4-18 0z';

/** Hair: short, a bun, a cap with its peak, and seen from behind. */
const HAIR = {
  short: 'M-9-83q0-9 10-9 9 1 8 11-1 7-4 9 0-6-2-9-7 0-12-2z',
  bun: 'M-9-83q-1-9 9-9 10 0 9 11-1 8-5 10 0-8-3-12-4 1-10 0zM4-91q1-6 6-5 6 2 3 7z',
  cap: 'M-9-82q0-10 9-10t9 8l0 2-12 0-9 2z',
  back: 'M-9-81a9 9 0 0118 0q0 5-2 8-7 3-14 0-2-3-2-8z',
} as const;

/** A pair of arms: an outline with a lighter core. */
export function Arms({ pose }: { pose: Pose }) {
  return (
    <>
      <path className="d-o" d={ARMS[pose]} />
      <path className="d-i" d={ARMS[pose]} />
    </>
  );
}

/** An open book, instead of the tablet of the `read` pose. */
export const BOOK = 'M-25-63q7-4 12 0 5-4 12 0v17q-7-4-12 0-5-4-12 0zm12 0v17';

type Figure = {
  /** Where the feet are on paper. */
  feet: Point;
  /** Left out if the caller draws the arms. */
  pose?: Pose;
  /** Instead of the pose's own; empty for none. */
  tool?: string;
  hair?: keyof typeof HAIR;
  mirror?: boolean;
  apron?: boolean;
  legs?: keyof typeof LEGS;
  children?: ReactNode;
};

/** A person. Children are painted last, in the person's own units. */
export function Person({
  feet,
  pose,
  tool = (pose && TOOLS[pose]) ?? '',
  hair = 'short',
  mirror = false,
  apron = false,
  legs = 'stand',
  children,
}: Figure) {
  const size = mirror ? ' scale(-1 1)' : '';
  return (
    <g className="d-y" transform={`translate(${short(feet[0])} ${short(feet[1])})${size}`}>
      <path className="d-o" d={LEGS[legs]} />
      <path className="d-t" d={TORSO} />
      {apron ? <path className="d-k" d={APRON} /> : <path className="d-r d-f" d={SHADE} />}
      <circle className="d-t" cy="-81" r="9" />
      <path className="d-k" d={HAIR[hair] + tool} />
      {pose && <Arms pose={pose} />}
      {children}
    </g>
  );
}

/** A chair from behind, for somebody who sits. */
export function Seat() {
  return (
    <>
      <path className="d-o" d="M9-26 17-18 13-5M-5-24-3-14" strokeWidth="8" />
      <path d="M0-22V-4M-14 2 0-5 14 2M0-5v10" />
      <path className="d-t" d="M-14-28q14 12 28 0 4 4 0 8-14 10-28 0-4-4 0-8z" />
      <path className="d-r" d="M-13-56q13 7 26 0l1 26q-14 8-28 0z" />
    </>
  );
}
