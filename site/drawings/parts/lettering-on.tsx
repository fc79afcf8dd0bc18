import { lettering } from '../lettering.ts';
import { onPlane, type Plane, type Point } from '../projection.ts';

/** A plan unit on the paper of `onPlane`. */
const UNIT = 16;

/**
 * A line of lettering on a plane: its baseline starts at a point on paper; `scale` is paper units per grid square.
 * Where a longer word has less `room`, in plan units, it's drawn smaller.
 */
export function Lettering({
  text,
  on = 'floor',
  from,
  scale = 3,
  room = Number.POSITIVE_INFINITY,
}: {
  text: string;
  on?: Plane;
  from: Point;
  scale?: number;
  room?: number;
}) {
  const { path, width } = lettering(text);
  if (path === '') return null;
  return (
    <path className="d-x" transform={onPlane(on, from, Math.min(scale, (room * UNIT) / width))} d={path} />
  );
}
