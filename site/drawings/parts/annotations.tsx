import { type Corner, type Point, pathData, polyline, short } from '../projection.ts';

/** Styles for what's no longer there: pale outlines, with the bottleneck's still orange. */
export const OLD =
  `.old{--line:var(--faint);--body-line:var(--faint);--body-top:var(--face-top);--body-right:var(--face-top);
--face-left:var(--face-top);--face-right:var(--face-top);--signal-top:var(--face-top);--signal-left:var(--face-top);
--signal-right:var(--face-top);--signal-edge:var(--signal-line);stroke:var(--line)}`.replaceAll('\n', '');

/** A pencil with its point at `tip` and its body to the lower right. */
export function Pencil({ tip: [x, y] = [0, 0] }: { tip?: Point | undefined }) {
  return (
    <g className="d-e" transform={`translate(${short(x)} ${short(y)})`}>
      <path className="d-p" d="m0 0-1 17 30 74 15-7-30-74zm-1 17 15-7m-7.5 3.5 30 74" />
      <path d="m0 0-1 9 7-3z" />
    </g>
  );
}

/** A new line on the plan, dashed and bold, with an arrowhead at its end. */
export function NewLine({ through }: { through: readonly Corner[] }) {
  const [before, end] = through.slice(-2);
  if (!before || !end) return null;
  return (
    <>
      <path className="d-n" d={pathData([polyline(...through)])} />
      <path className="d-n d-a" d={pathData([arrowHead(before, end, 1)])} />
    </>
  );
}

/** An arrowhead's two strokes, pointing along the floor from one corner to the next. */
function arrowHead([ax, ay]: Corner, [x, y, z]: Corner, size: number) {
  const along = Math.hypot(x - ax, y - ay) || 1;
  const [dx, dy] = [((x - ax) / along) * size, ((y - ay) / along) * size];
  return polyline([x - dx - dy, y - dy + dx, z], [x, y, z], [x - dx + dy, y - dy - dx, z]);
}

/** A dimension line on the floor along x, with end marks and arrows. */
export function Dimension({ from: [x, y, z], length }: { from: Corner; length: number }) {
  const end: Corner = [x + length, y, z];
  return (
    <path
      d={pathData([
        polyline([x, y, z], end),
        polyline([x, y - 0.8, z], [x, y + 0.8, z]),
        polyline([end[0], y - 0.8, z], [end[0], y + 0.8, z]),
        arrowHead([x + 1, y, z], [x, y, z], 0.5),
        arrowHead([x, y, z], end, 0.5),
      ])}
    />
  );
}

/** A stopwatch from the front, centred on a point on paper, with a radius of 26. */
export function Stopwatch({ centre: [x, y] }: { centre: Point }) {
  return (
    <g transform={`translate(${short(x)} ${short(y)})`}>
      <path className="d-r" d="M-5-36H5v9H-5zM17-27l6 6-5 5-6-6z" />
      <circle className="d-r" r="27" />
      <circle className="d-p" r="21" />
      <path className="d-k" d="M0 0V-16A16 16 0 0 1 11 11z" />
      <path d="M0-20v3M20 0h-3M0 20v-3M-20 0h3M0 0l11 11" />
    </g>
  );
}
