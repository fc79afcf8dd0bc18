import { type Corner, pathData, polyline } from '../projection.ts';
import { Box, type Size } from './box.tsx';

const PARCEL: Size = [1.6, 1.6, 1.25];

/** A taped box, by its back lower corner. */
export function Parcel({ from: [x, y, z], size = PARCEL }: { from: Corner; size?: Size }) {
  const [w, d, h] = size;
  const tape = polyline([x + w / 2, y, z + h], [x + w / 2, y + d, z + h], [x + w / 2, y + d, z + h * 0.6]);
  return (
    <>
      <Box from={[x, y, z]} size={size} />
      <path className="d-f" d={pathData([tape])} />
    </>
  );
}
