import { at, type Corner, circle, pathData, polygon, polyline, topFace } from '../projection.ts';
import { Box, Boxes, block } from './boxes.tsx';

/** The height of belts and benches, so parcels slide from one to the other. */
export const WORK_HEIGHT = 2.5;
const THICK = 0.5;
/** Across. */
export const WIDTH = 2.2;

type Belt = { from: readonly [x: number, y: number]; length: number; along?: 'x' | 'y' };

/** A roller conveyor on legs, by its back corner. */
export function Belt({ from: [x, y], length, along = 'x' }: Belt) {
  const z = WORK_HEIGHT;
  const point = (run: number, across: number, up: number): Corner =>
    along === 'x' ? [x + run, y + across, up] : [x + across, y + run, up];
  const [w, d] = along === 'x' ? [length, WIDTH] : [WIDTH, length];
  const rollers = Array.from({ length: Math.floor(length - 0.5) }, (_, i) =>
    polyline(point(i + 0.75, 0, z), point(i + 0.75, WIDTH, z)),
  );
  const legs = [0.6, length - 0.6].map((run) => polyline(point(run, WIDTH, z - THICK), point(run, WIDTH, 0)));
  return (
    <>
      <path d={pathData(legs)} />
      <Box from={[x, y, z - THICK]} size={[w, d, THICK]} />
      <path className="d-f" d={pathData(rollers)} />
    </>
  );
}

/** A packing bench: a worktop on two legs and a chest of drawers. */
export function Counter({
  from: [x, y],
  size: [w, d],
}: {
  from: readonly [number, number];
  size: readonly [number, number];
}) {
  const under = WORK_HEIGHT - 0.5;
  const [left, near] = [x + w - 2.5, y + d - 0.3];
  return (
    <>
      <Boxes
        of={[
          block([x + 0.3, near - 0.4, 0], [0.4, 0.4, under]),
          block([left, y + 0.3, 0], [2.2, d - 0.6, under]),
        ]}
        faces="lr"
      />
      <path
        className="d-f"
        d={pathData([0.7, 1.4].map((z) => polyline([left, near, z], [left + 2.2, near, z])))}
      />
      <Box from={[x, y, under]} size={[w, d, 0.5]} />
    </>
  );
}

/** On the bench where work is stuck: an open parcel, and its tape. */
export function HalfPacked({ from: [x, y] }: { from: readonly [number, number] }) {
  const z = WORK_HEIGHT;
  const rim = z + 1.3;
  const [right, near] = [x + 1.8, y + 1.8];
  return (
    <>
      <Box from={[x, y, z]} size={[1.8, 1.8, 1.3]} />
      <path className="d-r" d={pathData([topFace([x, y, rim], 1.8, 1.8)])} />
      <path
        className="d-t"
        d={pathData([
          polygon([x, y, rim], [x + 1.8, y, rim], [x + 1.8, y - 0.5, rim + 0.6], [x, y - 0.5, rim + 0.6]),
          polygon([x, y, rim], [x, y + 1.8, rim], [x - 0.5, y + 1.8, rim + 0.6], [x - 0.5, y, rim + 0.6]),
          polygon([x, near, rim], [right, near, rim], [right, y + 2.5, rim - 0.3], [x, y + 2.5, rim - 0.3]),
          polygon([right, y, rim], [right, near, rim], [x + 2.5, near, rim - 0.3], [x + 2.5, y, rim - 0.3]),
        ])}
      />
      <path className="d-r" d={circle('left', at(x - 0.8, y + 2.1, z + 0.4), 0.5)} />
    </>
  );
}

/** A table on four legs; the far one is hidden. */
export function Table({ from: [x, y, z], size: [w, d] }: { from: Corner; size: readonly [number, number] }) {
  const leg = 0.35;
  const under = (a: number, b: number) => block([a, b, z], [leg, leg, WORK_HEIGHT]);
  return (
    <>
      <Boxes
        of={[under(x + w - leg, y), under(x, y + d - leg), under(x + w - leg, y + d - leg)]}
        faces="lr"
      />
      <Box from={[x, y, z + WORK_HEIGHT - 0.4]} size={[w, d, 0.4]} />
    </>
  );
}
