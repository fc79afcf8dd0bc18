import type { Corner } from '../projection.ts';
import { WORK_HEIGHT } from './belt.tsx';
import { Boxes } from './box.tsx';

/** A packing counter: a solid body and a worktop that stands out over it. */
export function Counter({
  from: [x, y],
  size: [w, d],
}: {
  from: readonly [number, number];
  size: readonly [number, number];
}) {
  const body: Corner = [x + 0.3, y + 0.3, 0];
  return (
    <>
      <Boxes of={[[body, [w - 0.6, d - 0.6, WORK_HEIGHT - 0.5]]]} faces="lr" />
      <Boxes
        of={[
          [
            [x, y, WORK_HEIGHT - 0.5],
            [w, d, 0.5],
          ],
        ]}
      />
    </>
  );
}

/** A table on four legs, `h` high. */
export function Table({
  from: [x, y, z],
  size: [w, d],
  h = WORK_HEIGHT,
}: {
  from: Corner;
  size: readonly [number, number];
  h?: number;
}) {
  const leg = 0.35;
  const spots: readonly (readonly [number, number])[] = [
    [x + w - leg, y],
    [x, y + d - leg],
    [x + w - leg, y + d - leg],
  ];
  return (
    <>
      <Boxes
        of={spots.map(([a, b]) => [
          [a, b, z],
          [leg, leg, h],
        ])}
        faces="lr"
      />
      <Boxes
        of={[
          [
            [x, y, z + h - 0.4],
            [w, d, 0.4],
          ],
        ]}
      />
    </>
  );
}
