import { at, type Corner, leftFace, pathData, polyline, rightFace, short, topFace } from '../projection.ts';

/** A box's size in units along x, along y, and up. */
export type Size = readonly [w: number, d: number, h: number];

/** A box by its back lower corner and its size. */
type Block = readonly [from: Corner, size: Size];

export const block = (from: Corner, size: Size): Block => [from, size];

/**
 * Boxes as three paths, one per face direction. Boxes that overlap on paper need separate calls, far ones first,
 * since one call paints all tops before all sides.
 */
export function Boxes({ of, faces = 'tlr' }: { of: readonly Block[]; faces?: string }) {
  const tops = of.map(([[x, y, z], [w, d, h]]) => topFace([x, y, z + h], w, d));
  const lefts = of.map(([[x, y, z], [w, d, h]]) => leftFace([x, y + d, z], w, h));
  const rights = of.map(([[x, y, z], [w, d, h]]) => rightFace([x + w, y, z], d, h));
  return (
    <>
      {faces.includes('t') && <path className="d-t" d={pathData(tops)} />}
      {faces.includes('l') && <path className="d-l" d={pathData(lefts)} />}
      {faces.includes('r') && <path className="d-r" d={pathData(rights)} />}
    </>
  );
}

/** Where something drawn around the origin stands in the plan. */
export function moved(to: Corner) {
  const [left, top] = at(...to);
  return `translate(${short(left)} ${short(top)})`;
}

export function Box({ from, size }: { from: Corner; size: Size }) {
  return <Boxes of={[block(from, size)]} />;
}

export const PARCEL: Size = [1.6, 1.6, 1.25];

/** A taped box, by its back lower corner. Parcels of one size differ only in their place, so they compress well. */
export function Parcel({ id, from, size = PARCEL }: { id?: string; from?: Corner; size?: Size }) {
  const [w, d, h] = size;
  return (
    <g id={id} transform={from && moved(from)}>
      <Boxes of={[block([0, 0, 0], size)]} />
      <path className="d-f" d={pathData([polyline([w / 2, 0, h], [w / 2, d, h], [w / 2, d, h * 0.6])])} />
    </g>
  );
}
