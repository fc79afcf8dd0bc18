import type { ReactNode } from 'react';
import { at, type Corner, circle, leftFace, pathData, polygon, polyline, topFace } from '../projection.ts';

type Profile = readonly (readonly [y: number, z: number])[];

/** The van's side, from the rear sill over roof, windscreen and hood to the front sill. */
const SIDE: Profile = [
  [0, 0.9],
  [0, 6],
  [7, 6],
  [8.9, 4],
  [10.8, 3.6],
  [10.8, 0.9],
];

const SIDE_WINDOW: Profile = [
  [5.6, 3.8],
  [5.6, 5.4],
  [7, 5.4],
  [8.5, 3.8],
];
const WIDTH = 4.4;

/** A delivery van by its rear far corner, nose to the lower left: 4.4 wide, 10.8 long. */
export function Van({ from: [x, y] }: { from: readonly [number, number] }) {
  const w = WIDTH;
  const on = (dx: number, dy: number, z: number): Corner => [x + dx, y + dy, z];
  const across = ([y0, z0]: readonly [number, number], [y1, z1]: readonly [number, number], inset = 0) =>
    polygon(on(inset, y0, z0), on(w - inset, y0, z0), on(w - inset, y1, z1), on(inset, y1, z1));
  const side = (profile: Profile) => polygon(...profile.map(([dy, z]) => on(w, dy, z)));
  const wheels = [2.2, 8.8].map((dy) => at(...on(w, dy, 0.9)));
  return (
    <>
      <path
        className="d-s"
        d={pathData([
          polygon(
            [x - 1, y + 1, 0],
            [x + w, y, 0],
            [x + w + 1, y + 10, 0],
            [x + w, y + 11.4, 0],
            [x, y + 11.4, 0],
          ),
        ])}
      />
      <path className="d-t" d={pathData([across([0, 6], [7, 6]), across([8.9, 4], [10.8, 3.6])])} />
      <path className="d-l" d={pathData([across([7, 6], [8.9, 4]), across([10.8, 3.6], [10.8, 0.7])])} />
      <path className="d-p" d={pathData([across([7.3, 5.68], [8.7, 4.2], 0.4)])} />
      <path className="d-r" d={pathData([side(SIDE)])} />
      <path className="d-p" d={pathData([side(SIDE_WINDOW)])} />
      <path
        className="d-f"
        d={pathData([
          polyline(on(w, 5, 0.9), on(w, 5, 5.6)),
          polyline(on(w, 0.5, 3), on(w, 4.6, 3)),
          across([10.8, 2.2], [10.8, 1.4], 1),
        ])}
      />
      <path
        className="d-t"
        d={pathData(
          [0.3, 3.4].map((dx) =>
            polygon(on(dx, 10.8, 2.9), on(dx + 0.7, 10.8, 2.9), on(dx + 0.7, 10.8, 2.3), on(dx, 10.8, 2.3)),
          ),
        )}
      />
      <path className="d-k" d={wheels.map((p) => circle('right', p, 0.95)).join('')} />
      <path className="d-t" d={wheels.map((p) => circle('right', p, 0.4)).join('')} />
    </>
  );
}

type OpenVanProps = {
  from: readonly [number, number];
  /** Drawn inside it, in place of the open doors. */
  children?: ReactNode;
};

/** The same van by its far corner, nose to the upper right and its two rear doors open: what's drawn next is inside it. */
export function OpenVan({ from: [x, y], children }: OpenVanProps) {
  const w = WIDTH;
  const rear = y + 10.8;
  const side = (profile: Profile) => polygon(...profile.map(([dy, z]): Corner => [x + w, rear - dy, z]));
  const wheels = [2.2, 8.8].map((dy) => at(x + w, rear - dy, 0.9));
  return (
    <>
      <path
        className="d-s"
        d={pathData([polygon([x, rear, 0], [x + w + 1, rear, 0], [x + w + 1, y + 1, 0])])}
      />
      <path
        className="d-t"
        d={pathData([
          // The hood, beyond the roof.
          polygon(
            [x, rear - 8.9, 4],
            [x, rear - 10.8, 3.6],
            [x + w, rear - 10.8, 3.6],
            [x + w, rear - 8.9, 4],
          ),
          topFace([x, rear - 7, 6], w, 7),
        ])}
      />
      <path className="d-r" d={pathData([side(SIDE)])} />
      <path className="d-p" d={pathData([side(SIDE_WINDOW)])} />
      <path className="d-k" d={wheels.map((p) => circle('right', p, 0.95)).join('')} />
      <path
        className="d-l"
        d={pathData([
          leftFace([x, rear, 0.9], w, 5.1),
          ...(children ? [] : [-2, w]).map((dx) => leftFace([x + dx, rear, 0.9], 2, 5.1)),
        ])}
      />
      <path className="d-r" d={pathData([leftFace([x + 0.4, rear, 1.3], w - 0.8, 4.3)])} />
      {children}
    </>
  );
}

/** One of its rear doors, 2.2 wide, to close on what's inside: `from` as if it were a van of its own. */
export function VanDoor({ from: [x, y] }: { from: readonly [number, number] }) {
  return <path className="d-l" d={pathData([leftFace([x, y + 10.8, 0.9], 2.2, 5.1)])} />;
}
