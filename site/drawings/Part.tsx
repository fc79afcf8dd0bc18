import type { ReactElement } from 'react';
import { NewLine, Pencil } from './parts/annotations.tsx';
import { Box } from './parts/box.tsx';
import { Clipboard } from './parts/desk-things.tsx';
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
      {drawing}
    </Sheet>
  );
}

/** Steps in a new order. */
function Workflow() {
  return (
    <>
      {[-4, -0.9, 2.2].map((x) => (
        <Box key={x} from={[x, -3.6, 0]} size={[2, 2, 0.8]} />
      ))}
      <NewLine
        through={[
          [-3, -1, 0],
          [-3, 2, 0],
          [0, 2, 0],
          [0, -1, 0],
          [3.2, -1, 0],
          [3.2, 3.4, 0],
        ]}
      />
    </>
  );
}

/** A spreadsheet, and a phone where a desk is too far. */
function System() {
  return (
    <>
      <g transform={onPlane('floor', at(-4.2, -4.2))}>
        <path className="d-p" d="M0 0h134v134H0z" />
        <path className="d-k" d="M0 0h134v18H0zM0 18h18v116H0z" />
        <path className="d-f" d="M0 41h134M0 64h134M0 87h134M0 110h134M56 18v116M95 18v116" />
      </g>
      <Box from={[0.6, 0.4, 0]} size={[2.6, 0.4, 4.6]} />
      <path className="d-k" transform={onPlane('left', at(0.6, 0.8, 4.6))} d="M5 7h32v44H5zM18 58h6v6h-6z" />
    </>
  );
}

/** The procedure, and the team around it. */
function Sop() {
  return (
    <>
      <g transform="scale(2.6)">
        <Clipboard from={[-0.7, -0.7, 0]} ticks={3} />
      </g>
      <Person feet={at(-3.1, 3.3)} pose="point" hair="bun" apron mirror />
      <Person feet={at(3, -2)} pose="wait" hair="cap" />
    </>
  );
}

/** Bars that stand on their line. */
function Dashboards() {
  return (
    <>
      <path d={pathData([polyline([-4.2, 1.4, 0], [4.4, 1.4, 0])])} />
      {[1.4, 3, 2.2, 4.6].map((height, i) => (
        <Box key={height} from={[i * 2.1 - 4, -1, 0]} size={[1.4, 1.4, height]} />
      ))}
    </>
  );
}

/** Round again, on the plate that carries the others. */
function Support() {
  const half = 'M-66-8A67 38 0 0 1 58-20m-22-1 22 1 5-15';
  return (
    <>
      <path className="d-n d-a" d={half} />
      <path className="d-n d-a" transform="scale(-1)" d={half} />
      <Pencil tip={[-18, -26]} />
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
