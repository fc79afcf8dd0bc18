/*
 * Where a point of the plan lands on paper, and how paths are written.
 *
 * Plan units: x runs to the lower right, y to the lower left, z straight up; a person is 5.5 units tall.
 * Paper units are the SVG viewBox's. The ratio 14 : 8 gives 29.7°, too close to a true isometric drawing's 30° for
 * anyone to notice. Whole plan units give whole numbers, which keeps the files small.
 */

/** A point on paper: right, down. */
export type Point = readonly [x: number, y: number];

/** A corner in the plan: units along x, y and up. */
export type Corner = readonly [x: number, y: number, z: number];

/** One pen stroke on paper, its points in order. A closed stroke returns to its first point. */
export type Stroke = { readonly points: readonly Point[]; readonly closed: boolean };

/** Paper units per plan unit: sideways and down for x and y, up for z. */
const UNIT = { across: 14, down: 8, up: 16 } as const;

/** Where the plan's point (x, y, z) lands on paper. */
export function at(x: number, y: number, z = 0): Point {
  return [(x - y) * UNIT.across, (x + y) * UNIT.down - z * UNIT.up];
}

/** A closed stroke through corners of the plan. */
export function polygon(...corners: readonly Corner[]): Stroke {
  return { points: corners.map((c) => at(...c)), closed: true };
}

/** An open stroke through corners of the plan. */
export function polyline(...corners: readonly Corner[]): Stroke {
  return { points: corners.map((c) => at(...c)), closed: false };
}

/** The face seen from above: starts at its back corner, `w` along x, `d` along y. */
export function topFace([x, y, z]: Corner, w: number, d: number): Stroke {
  return polygon([x, y, z], [x + w, y, z], [x + w, y + d, z], [x, y + d, z]);
}

/** The face to the lower left: starts at its lower left corner, `w` along x, `h` up. */
export function leftFace([x, y, z]: Corner, w: number, h: number): Stroke {
  return polygon([x, y, z], [x + w, y, z], [x + w, y, z + h], [x, y, z + h]);
}

/** The face to the lower right: starts at its lower far corner, `d` along y, `h` up. */
export function rightFace([x, y, z]: Corner, d: number, h: number): Stroke {
  return polygon([x, y, z], [x, y + d, z], [x, y + d, z + h], [x, y, z + h]);
}

/** A whole number of paper units: one is about a pixel, and no line is thinner. */
export function short(value: number): string {
  return String(Math.round(value) || 0);
}

/** A path's numbers, with a space only where two would run together. */
function pack(values: readonly number[], afterNumber: string): string {
  let text = '';
  let before = afterNumber;
  for (const value of values) {
    const next = short(value);
    const apart = before === '' || next.startsWith('-');
    text += apart ? next : ` ${next}`;
    before = next;
  }
  return text;
}

/**
 * The strokes as SVG path data, as short as possible: relative, whole numbers, `h` and `v` where they fit. Points are
 * rounded before they're subtracted, so errors don't add up.
 */
export function pathData(strokes: readonly Stroke[]): string {
  let data = '';
  let pen: Point = [0, 0];
  for (const { points, closed } of strokes) {
    const [start, ...rest] = points.map(([x, y]): Point => [Math.round(x), Math.round(y)]);
    if (!start) continue;
    data += `m${pack([start[0] - pen[0], start[1] - pen[1]], '')}`;
    let command = 'l';
    let last = short(start[1] - pen[1]);
    pen = start;
    for (const point of rest) {
      const dx = point[0] - pen[0];
      const dy = point[1] - pen[1];
      pen = point;
      const next = dx === 0 ? 'v' : dy === 0 ? 'h' : 'l';
      const values = next === 'v' ? [dy] : next === 'h' ? [dx] : [dx, dy];
      data += next === command ? pack(values, last) : next + pack(values, '');
      command = next;
      last = short(values.at(-1) ?? 0);
    }
    if (closed) {
      data += 'z';
      pen = start;
    }
  }
  return data;
}

/** The planes a flat drawing can lie on: the floor, or either wall. */
export type Plane = 'floor' | 'left' | 'right';

const AXES: Record<Plane, readonly [number, number, number, number]> = {
  floor: [0.875, 0.5, -0.875, 0.5],
  left: [0.875, 0.5, 0, 1],
  right: [0.875, -0.5, 0, 1],
};

/**
 * The SVG transform that lays a flat drawing (right, down; one plan unit is 16) on a plane, with its origin at
 * a point on paper, `scale` times as large.
 */
export function onPlane(plane: Plane, [x, y]: Point, scale = 1): string {
  const axes = AXES[plane].map((part) => String(Math.round(part * scale * 1000) / 1000).replace('0.', '.'));
  return `matrix(${axes.join(' ')} ${short(x)} ${short(y)})`;
}

/**
 * Path data of a circle on a plane: its centre on paper, its radius in plan units. On the floor and the
 * walls it's an ellipse whose long axis is perpendicular to the plane's normal.
 */
export function circle(plane: Plane, [x, y]: Point, radius: number): string {
  const turn = { floor: 0, left: 60, right: -60 }[plane];
  const long = radius * UNIT.across * Math.SQRT2;
  const flat = radius * UNIT.down * Math.SQRT2;
  const dx = long * Math.cos((turn * Math.PI) / 180);
  const dy = long * Math.sin((turn * Math.PI) / 180);
  const arc = `a${pack([long, flat, turn, 1, 1], '')}`;
  return `M${pack([x - dx, y - dy], '')}${arc}${pack([2 * dx, 2 * dy], '1')}${arc}${pack([-2 * dx, -2 * dy], '1')}z`;
}
