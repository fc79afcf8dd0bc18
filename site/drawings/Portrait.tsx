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

/** Head and jacket, facing the lower left like everybody else. */
function Figure() {
  return (
    <>
      <path className="d-t" d="M-58-120-54-262q2-46 30-58l48-4q30 10 34 54l6 150z" />
      <path className="d-r" d="M22-100q8-120-4-222 38 6 40 54l6 168z" />
      <path className="d-l" d="M-30-318q4 60 6 198h22q4-110 18-200z" />
      <path className="d-f" d="M-10-262v140" />
      <path className="d-r" d="M-20-352l-4 40q14 18 38 2l6-50z" />
      <g transform="translate(-2 -376)">
        <path className="d-t" d="M-34-18q-5 16-2 36 3 22 20 27 24 2 38-16l10-24-6-34-50-8z" />
        <path className="d-t" d="M25-1q12-6 13 6 0 13-14 13z" />
        <path
          className="d-k"
          d="M-36-12q-5-34 22-44 36-10 54 18 12 26-1 55-2 9-9 14l-3-12q10-4 11-14 0-12-13-9-8-7-8-19-26 8-44-2-6 5-9 13z"
        />
        <ellipse cx="-24" cy="10" rx="8" ry="9" />
        <ellipse cx="-1" cy="10" rx="11" ry="9" />
        <path d="M-16 8q3-2 4 0M10 7l16-6M-30 11q4 4 9 1M-9 12q7 4 14-1" />
        <path d="M-17 10l-5 13q2 4 7 3M-20 33q7 3 12-1" className="d-f" />
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

/** The arms, and the collar over the shoulders. One hand draws, the other holds the sheet. */
function Reach() {
  return (
    <>
      <path className="d-t" d="M26-323q50 4 60 95 2 34-28 44l-42 20-12-26 38-20q-8-34-12-58" />
      <path className="d-r" d="M62-306q18 24 24 78 2 34-28 44l-42 20-4-9 36-18q22-10 18-42-4-46-10-71z" />
      <path className="d-p" d="m2-192 12 30 7-3-12-30z" />
      <path
        className="d-t"
        d="M2-189q-12 0-22 8l-16 11q-4 5 2 6l13-5-14 10q-2 6 5 5l14-8-10 9q0 5 6 3l14-8q8-2 14-6z"
      />
      <path className="d-e" d="m-182-160 3-17 54-86 12 7-54 86z" />
      <path className="d-p" d="m-179-177 54-86 12 7-54 86z" />
      <path className="d-t" d="M-34-318q-36 4-68 82l-44 22 11 27 52-18q12-6 24-26 14-24 24-40" />
      <path className="d-p" d="m-25-322 15 26-14 16-15-32zM17-326l-27 30 20 20 22-40z" />
      <path
        className="d-t"
        d="m-38-314-12 18 14 16-4 12 28 50q-4-54-12-74zM30-320l14 20-16 16 2 14-40 52q4-50 18-76z"
      />
      <path className="d-f" d="M-102-236q8 2 12 10M-76-222q4-6 3-12" />
      <path className="d-p" d="m-150-213 12 29 7-3-12-29z" />
      <path className="d-t" d="M-149-209q-12 0-20 8-6 8-6 17 2 5 6 4 2 6 8 4 2 4 8 1l14-11z" />
      <path className="d-f" d="m-169-180 10-9M-161-176l10-9" />
    </>
  );
}
