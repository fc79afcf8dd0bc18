import { type Corner, pathData, polyline } from '../projection.ts';
import { Box } from './box.tsx';

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
