import { Sheet } from './parts/sheet.tsx';
import { type Point, pathData, type Stroke } from './projection.ts';

/** A point of the table top on paper: the plan's axes, much larger, from the sheet's far corner. */
const on = (x: number, y: number): Point => [112 + (x - y) * 50, 268 + (x + y) * 28.6];
const shape = (...corners: readonly (readonly [number, number])[]): Stroke => ({
  points: corners.map(([x, y]) => on(x, y)),
  closed: true,
});
const line = (...corners: readonly (readonly [number, number])[]): Stroke => ({
  ...shape(...corners),
  closed: false,
});
const block = (x: number, y: number, w: number, d: number) =>
  shape([x, y], [x + w, y], [x + w, y + d], [x, y + d]);
const grid = Array.from({ length: 25 }, (_, i) => `M0 ${i * 20}h400M${i * 20} 0v500`).join('');

/** The founder, drawing the hero's plan, until there's a photo. */
export function Portrait() {
  return (
    <Sheet view={[0, 0, 400, 500]}>
      <path className="d-p" stroke="none" d="M0 0h400v500H0z" />
      <path className="d-g" d={grid} />
      <g transform="translate(-22 -30)scale(1.07)">
        <Lamp />
        <g className="d-y" transform="translate(268 505)">
          <Figure />
        </g>
        <Chest />
        <Plan />
        <g className="d-y" transform="translate(268 505)">
          <Reach />
        </g>
      </g>
    </Sheet>
  );
}

/** A drafting lamp, clamped to the far edge of the table. */
function Lamp() {
  return (
    <>
      <path className="d-t" d="M48 214 24 112l7-2 25 101zM24 106l94-44 3 7-94 44z" />
      <circle className="d-r" cx="27" cy="110" r="8" />
      <path className="d-l" d="m108 60 18-8 44 44q-30 2-54 26z" />
      <path className="d-r" d="m126 52 44 44q-12 1-23 5L116 57z" />
      <path className="d-t" d="M116 122q20-26 54-26 2 10-18 20t-36 6z" />
    </>
  );
}

/** Head, work shirt and apron, as of whoever draws the new line in the hero; the eyes are on the visitor. */
function Figure() {
  return (
    <>
      <path className="d-l" d="M-66-120-62-262q4-44 34-54l56-6q42 12 46 60l6 142z" />
      <path className="d-k" d="M-46-110-40-244l14-66 12 0-12 70q20 5 40 0l-8-70 12 0 12 64 12 136z" />
      <path stroke="var(--body-top)" d="M-4-222v24q12 4 24 0v-24" />
      <path className="d-t" d="M11-218v-30l3-7 3 7v30z" />
      <path className="d-t" d="M-20-354l-4 40q18 22 42 0l6-50z" />
      <path className="d-l" d="m-26-326-10 22 20 16 14-18zM26-328l12 24-22 16-12-18z" />
      <g transform="translate(-2 -376)">
        <path className="d-k" d="M34-24q36-8 42 28 4 34-14 56 2-30-12-44-12-8-18-20z" />
        <path className="d-t" d="M-36-22q-4 18-1 40 3 24 22 29 24 3 40-16l10-26-6-36-52-10z" />
        <path
          className="d-k"
          d="M-38-14q-6-36 22-46 38-11 57 17 12 27-2 58-2 8-8 13l-4-12q10-4 11-14 0-12-13-9-8-7-8-19-26 8-46-2-6 5-9 14z"
        />
        <path className="d-t" d="M26 1q3-9 12-6 8 6 2 16-6 8-13 6" />
        <path stroke="var(--signal-ink)" d="M-32-3q6-5 12-2M-4-5q8-5 15-1" strokeWidth="2.5" />
        <path
          fill="var(--signal-ink)"
          stroke="none"
          d="M-27 8a3.4 4 0 107 0 3.4 4 0 10-7 0M1 8a3.6 4 0 107 0 3.6 4 0 10-7 0"
        />
        <path stroke="var(--signal-ink)" d="M-17 9l-6 13q2 4 8 3M-21 33q10 6 17-3" />
      </g>
    </>
  );
}

/** The table: a chest of wide, flat drawers for plans. */
function Chest() {
  const drawers = [36, 74, 112];
  return (
    <>
      <path className="d-t" d="M36 202 384 401 150 535-300 535-300 394z" />
      <path className="d-l" d="M384 401v14L170 537h-20l-10-3z" stroke="none" />
      <path className="d-r" d="M384 401 130 546v60h254z" />
      <path d="M384 415 130 560" />
      <path className="d-f" d={drawers.map((y) => `m374 ${y + 392}-190 108`).join('')} />
      <path className="d-k" d={drawers.map((y) => `m318 ${y + 408}-24 14v5l24-14z`).join('')} />
    </>
  );
}

/** On the table: the plan with its new line, a scale, a roll, a mug. */
function Plan() {
  return (
    <>
      <path className="d-p" d={pathData([block(0, 0, 4, 2.4)])} />
      <path className="d-g" d={pathData([1, 2, 3].map((x) => line([x, 0.1], [x, 2.3])))} />
      <path
        className="d-f"
        d={pathData([
          block(0.12, 0.12, 3.76, 2.16),
          block(0.3, 0.28, 1.1, 0.3),
          block(1.7, 0.28, 1.1, 0.3),
          block(0.3, 0.8, 0.7, 0.4),
          block(3.2, 0.8, 0.45, 1),
          line([3, 2.28], [3, 2.02], [3.88, 2.02]),
        ])}
      />
      <path className="d-r" d={pathData([block(2, 0.8, 0.5, 0.4), block(2, 1.4, 0.5, 0.4)])} />
      <path className="d-f" d={pathData([line([1, 1], [2, 1]), line([2.5, 1], [3.2, 1])])} />
      <path className="d-n" strokeWidth="3" d={pathData([line([3.2, 1.6], [1.1, 1.6])])} />
      <path className="d-t" d="M-20 384 120 464q10 6 6 16t-18 6L-20 414z" />
      <ellipse className="d-l" cx="116" cy="474" rx="9" ry="12" transform="rotate(-30 116 474)" />
      <path className="d-f" d="M116 474q4-5 2-9-6-2-8 5 0 8 7 8" />
      <path className="d-t" d="M347 376q14-3 13 9t-14 12z" />
      <path className="d-l" d="M314 370v30q17 14 34 0v-30z" />
      <path className="d-r" d="M333 372v35q8-1 15-7v-30z" />
      <ellipse className="d-t" cx="331" cy="370" rx="17" ry="9" />
      <ellipse className="d-k" cx="331" cy="371" rx="12" ry="5.5" />
    </>
  );
}

/** The arms, with rolled sleeves. One hand draws, the other holds the sheet. */
function Reach() {
  return (
    <>
      <path
        className="d-t"
        d="M40-204 2-189q-12 0-22 8l-16 11q-4 5 2 6l13-5-14 10q-2 6 5 5l14-8-10 9q0 5 6 3l14-8q8-2 14-6l46-16z"
      />
      <path className="d-l" d="M42-316q40 10 48 90 2 34-28 44l-16 7-12-29 12-6q-10-28-12-56" />
      <path className="d-l" d="m30-203 13 31 10-4-13-31z" />
      <path className="d-e" d="m-182-160 3-17 54-86 12 7-54 86z" />
      <path className="d-p" d="m-179-177 54-86 12 7-54 86z" />
      <path className="d-t" d="M-112-231l-37 22q-12 0-20 8-6 8-6 17 2 5 6 4 2 6 8 4 2 4 8 1l14-11 40-15z" />
      <path className="d-l" d="M-40-312q-36 8-62 76l-12 6 12 29 19-6q14-6 24-24 14-24 18-40" />
      <path className="d-l" d="m-116-232 13 31 10-4-13-31z" />
      <path className="d-f" d="m-169-180 10-9M-161-176l10-9M-76-222q4-6 3-12M66-222q4-8 2-16" />
    </>
  );
}
