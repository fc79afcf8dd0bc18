import { type Corner, pathData, polyline } from '../projection.ts';
import { Boxes, block, moved, type Size } from './box.tsx';

export const PARCEL: Size = [1.6, 1.6, 1.25];

/** A taped box, by its back lower corner. Parcels of one size say the same but for their place, which packs well. */
export function Parcel({ id, from, size = PARCEL }: { id?: string; from?: Corner; size?: Size }) {
  const [w, d, h] = size;
  return (
    <g id={id} transform={from && moved(from)}>
      <Boxes of={[block([0, 0, 0], size)]} />
      <path className="d-f" d={pathData([polyline([w / 2, 0, h], [w / 2, d, h], [w / 2, d, h * 0.6])])} />
    </g>
  );
}
