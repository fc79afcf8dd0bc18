import { pathData, polyline } from '../projection.ts';
import { Box } from './boxes.tsx';

/** Units between grid lines. */
const STEP = 2;

/** The slab everything stands on: `w` along x, `d` along y, from the origin. */
export function Floor({ w, d }: { w: number; d: number }) {
  const lines = [];
  for (let x = STEP; x < w; x += STEP) lines.push(polyline([x, 0.2, 0], [x, d - 0.2, 0]));
  for (let y = STEP; y < d; y += STEP) lines.push(polyline([0.2, y, 0], [w - 0.2, y, 0]));
  return (
    <>
      <Box from={[0, 0, -0.75]} size={[w, d, 0.75]} />
      <path className="d-g" d={pathData(lines)} />
    </>
  );
}

/** The grid without an edge, for drawings cut out of the plan. */
export function Backdrop() {
  const reach = 16;
  const lines = [];
  for (let i = -reach; i <= reach; i += STEP) {
    lines.push(polyline([i, -reach, 0], [i, reach, 0]), polyline([-reach, i, 0], [reach, i, 0]));
  }
  return <path className="d-g" d={pathData(lines)} />;
}
