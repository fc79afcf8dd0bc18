import type { ReactElement } from 'react';
import { NewLine } from './parts/annotations.tsx';
import { Belt, WORK_HEIGHT } from './parts/belt.tsx';
import { Counter, Table } from './parts/bench.tsx';
import { Box } from './parts/box.tsx';
import { SheetMonitor } from './parts/monitor.tsx';
import { Parcel } from './parts/parcel.tsx';
import { Person } from './parts/person.tsx';
import { Sheet } from './parts/sheet.tsx';
import {
  at,
  type Corner,
  leftFace,
  onPlane,
  pathData,
  polygon,
  polyline,
  rightFace,
  topFace,
} from './projection.ts';

/** As on the hero's floor, whose scale and things the plates have. */
const GRID = [-3, -1, 1, 3].flatMap((i) => [
  polyline([i, -4.8, 0], [i, 4.8, 0]),
  polyline([-4.8, i, 0], [4.8, i, 0]),
]);

/**
 * The five parts of a system, as an exploded view: plates of one size, to stand above each other. And one for what is
 * promised of all of them.
 */
export const parts = {
  'part-workflow': plate(<Workflow />),
  'part-system': plate(<System />),
  'part-sop': plate(<Sop />),
  'part-dashboards': plate(<Dashboards />),
  'part-support': plate(<Support />),
  'made-to-fit': plate(<Fit />),
};

/** Its left and right corners touch the picture's edges, 126 of 218 down: the page's lines end there. */
function plate(drawing: ReactElement) {
  return (
    <Sheet view={[-142, -126, 284, 218]}>
      <Box from={[-5, -5, -0.4]} size={[10, 10, 0.4]} />
      <path className="d-g" d={pathData(GRID)} />
      {drawing}
    </Sheet>
  );
}

/** One straight line through the bench, over the way round that it replaces. */
function Workflow() {
  const z = WORK_HEIGHT;
  return (
    <>
      <path
        className="d-h"
        d={pathData([
          polyline([-5, 4.2, 0], [-3, 4.2, 0], [-3, 1.4, 0], [0.4, 1.4, 0], [0.4, 4.2, 0], [5, 4.2, 0]),
        ])}
      />
      <Person feet={at(0.6, -3.4)} pose="work" hair="bun" apron />
      <Belt from={[-5, -2.4]} length={10} />
      <Parcel from={[-4.2, -2.1, z]} />
      <Counter from={[-1.6, -2.8]} size={[3.6, 3]} />
      <Parcel from={[-0.6, -2.1, z]} />
      <Parcel from={[3, -2.1, z]} />
      <NewLine
        through={[
          [-5, 2.8, 0],
          [4.6, 2.8, 0],
        ]}
      />
    </>
  );
}

/** The sheet on a large screen, and the same jobs in an app, in the hand of whoever is out for them. */
function System() {
  return (
    <>
      <Person feet={at(3.6, -1.8)} pose="read" hair="cap" tool="M-22-60l9 3v14l-9-3z" />
      <Box from={[-2.7, -0.2, 0]} size={[2.6, 1.4, 0.3]} />
      <SheetMonitor from={[-4.7, 0.2, 0.7]} />
      <rect className="d-r" width="38" height="76" rx="6" transform={onPlane('left', at(2, 2.6, 4.8))} />
      <g transform={onPlane('left', at(2, 2.9, 4.8))}>
        <rect className="d-t" width="38" height="76" rx="6" />
        <path className="d-p" d="M4 11h30v55H4z" />
        <path className="d-k" d="M14 5h10v2H14zM8 15h14v4H8zM8 55h22v7H8z" />
        <path className="d-f" d="M8 24h22v7H8zM8 34h22v7H8zM8 44h22v7H8zM25 27l1 1 2-3M25 37l1 1 2-3" />
      </g>
    </>
  );
}

/** The procedure on the table, and the team around it. */
function Sop() {
  const rows = [7, 18, 29, 40];
  return (
    <>
      <Person feet={at(0.8, -2.6)} pose="wait" hair="cap" />
      <Table from={[-2.8, -1.8, 0]} size={[5.6, 4]} />
      <g transform={onPlane('floor', at(-2.3, -1.5, WORK_HEIGHT))}>
        <path className="d-p" d="M0 0h74v54H0zM37 0v54" />
        <path className="d-k" d={rows.map((y) => `M5 ${y}h6v6H5zM42 ${y}h6v6h-6z`).join('')} />
        <path className="d-f" d={rows.map((y) => `M15 ${y + 3}h17m20 0h17`).join('')} />
      </g>
      <Person feet={at(-2.4, 4)} pose="point" hair="bun" apron mirror />
      <Person feet={at(4.4, -0.2)} pose="read" />
    </>
  );
}

/** Stock, orders and jobs on one screen. */
function Dashboards() {
  return (
    <>
      <Parcel from={[1, -4.4, 0]} />
      <Parcel from={[2.8, -4.4, 0]} />
      <Parcel from={[1.9, -4.4, 1.25]} />
      <Box from={[-4.1, 0.6, 0]} size={[0.5, 0.5, 1]} />
      <Box from={[1.2, 0.6, 0]} size={[0.5, 0.5, 1]} />
      <Box from={[-4.6, 0.6, 0.8]} size={[7, 0.4, 4.6]} />
      <g transform={onPlane('left', at(-4.6, 1, 5.4))}>
        <path className="d-p" d="M4 4h104v66H4z" />
        <path className="d-k" d="M9 9h30v4H9zM12 62V46h7v16zM24 62V36h7v26zM36 62V42h7v20zM48 62V28h7v34z" />
        <path
          className="d-f"
          d="M9 62h50M66 9h16v12H66zM87 9h16v12H87zM66 27v35h37M66 34h37M66 43h37M66 52h37"
        />
        <path d="m66 56 9-8 8 4 9-14 11-6" />
      </g>
      <Person feet={at(4.6, 1.8)} pose="point" hair="back" />
    </>
  );
}

/** A line that runs, and a bench on it that moves over. */
function Support() {
  const z = WORK_HEIGHT;
  return (
    <>
      <Person feet={at(2.6, -3.6)} pose="work" hair="cap" />
      <Belt from={[-5, -1.6]} length={10} />
      <path className="d-h" d={pathData([topFace([-3, -0.6, 0], 3.4, 3)])} />
      <Counter from={[0.6, -2]} size={[3.4, 3]} />
      <Parcel from={[-4, -1.3, z]} />
      <Parcel from={[1.4, -1.3, z]} />
      <NewLine
        through={[
          [-2.6, 2.2, 0],
          [2.6, 2.2, 0],
        ]}
      />
      <Person feet={at(-3, 3.8)} pose="point" hair="bun" apron mirror />
    </>
  );
}

/** The template doesn't match the opening; the plan drawn for it does. */
function Fit() {
  const z = 4;
  const outline = (up: number) =>
    polygon(
      ...[
        [0, -4],
        [4, -4],
        [4, 1.6],
        [2.4, 1.6],
        [2.4, 4],
        [-1, 4],
        [-1, 0.6],
        [0, 0.6],
      ].map(([x = 0, y = 0]): Corner => [x, y, up]),
    );
  const corners = [
    [4, 1.6],
    [2.4, 4],
    [-1, 4],
  ] as const;
  return (
    <>
      <path className="d-h" d={pathData([topFace([-4.5, 0.9, 0], 2.8, 3.8)])} />
      <path
        className="d-f"
        d={pathData(
          [0, 1].flatMap((i) => [0, 1].map((j) => topFace([i * 1.2 - 4.2, j * 1.7 + 1.2, 0], 0.9, 1.4))),
        )}
      />
      <path className="d-r" d={pathData([outline(0)])} />
      <path className="d-h" d={pathData(corners.map(([x, y]) => polyline([x, y, 0], [x, y, z - 0.4])))} />
      <path className="d-t" d={pathData([outline(z)])} />
      <path
        className="d-l"
        d={pathData([leftFace([2.4, 1.6, z - 0.4], 1.6, 0.4), leftFace([-1, 4, z - 0.4], 3.4, 0.4)])}
      />
      <path
        className="d-r"
        d={pathData([rightFace([4, -4, z - 0.4], 5.6, 0.4), rightFace([2.4, 1.6, z - 0.4], 2.4, 0.4)])}
      />
      <NewLine
        through={[
          [2, -3.2, z],
          [2, 0.4, z],
          [0.8, 0.4, z],
          [0.8, 3.2, z],
        ]}
      />
    </>
  );
}
