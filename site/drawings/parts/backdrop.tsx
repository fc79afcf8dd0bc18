import { pathData, polyline } from '../projection.ts';

/** The floor's grid without an edge, for drawings that are cut out of the plan: `reach` units each way. */
export function Backdrop({ reach = 16, step = 2 }: { reach?: number; step?: number }) {
  const lines = [];
  for (let i = -reach; i <= reach; i += step) {
    lines.push(polyline([i, -reach, 0], [i, reach, 0]), polyline([-reach, i, 0], [reach, i, 0]));
  }
  return <path className="d-g" d={pathData(lines)} />;
}
