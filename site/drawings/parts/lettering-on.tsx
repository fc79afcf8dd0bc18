import { lettering } from '../lettering.ts';
import { onPlane, type Plane, type Point } from '../projection.ts';

/** A line of lettering on a plane: its baseline starts at a point on paper; `scale` is paper units per grid square. */
export function Lettering({
  text,
  on = 'floor',
  from,
  scale = 3,
}: {
  text: string;
  on?: Plane;
  from: Point;
  scale?: number;
}) {
  return <path className="d-x" transform={onPlane(on, from, scale)} d={lettering(text)} />;
}
