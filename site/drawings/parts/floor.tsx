import { pathData, polyline } from '../projection.ts';
import { Box } from './box.tsx';

/** The slab everything stands on, its grid every `step` units: `w` along x, `d` along y, from the origin. */
export function Floor({ w, d, step = 2 }: { w: number; d: number; step?: number }) {
  const lines = [];
  for (let x = step; x < w; x += step) lines.push(polyline([x, 0.2, 0], [x, d - 0.2, 0]));
  for (let y = step; y < d; y += step) lines.push(polyline([0.2, y, 0], [w - 0.2, y, 0]));
  return (
    <>
      <Box from={[0, 0, -0.75]} size={[w, d, 0.75]} />
      <path className="d-g" d={pathData(lines)} />
    </>
  );
}
