import { at, type Corner, leftFace, pathData, polyline, rightFace, short, topFace } from '../projection.ts';
import { Box, PARCEL, Parcel } from './boxes.tsx';

const SHELVES = [0.5, 3.4, 6.3] as const;
const RACK_DEPTH = 2.6;
const HEIGHT = 8;

function uprights(x: number, y: number, length: number): string {
  return pathData([x, x + length].map((at) => polyline([at, y, 0], [at, y, HEIGHT])));
}

/**
 * A rack by its back corner. `rows` is the stock on each shelf from the bottom up, one digit per bay:
 * 0 is an empty bay, 1 a low box, 2 a tall one, 3 two boxes, ? a bay with missing stock.
 */
export function Rack({
  from: [x, y],
  length,
  rows,
  parcel,
}: {
  from: readonly [number, number];
  length: number;
  rows: readonly string[];
  /** A `Parcel` in the same drawing, by its id: the stock then is copies of it, which takes fewer bytes. */
  parcel?: string;
}) {
  return (
    <>
      <path d={uprights(x, y, length)} />
      {rows.map((row, level) => {
        const z = SHELVES[level] ?? 0;
        const bay = length / row.length;
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: drawn once, never updated
          <g key={level}>
            <Box from={[x, y, z - 0.3]} size={[length, RACK_DEPTH, 0.3]} />
            {[...row].flatMap((what, i) => {
              const corner: Corner = [x + i * bay + 0.3, y + 0.4, z];
              if (!parcel) return stock(what, corner, bay - 0.6);
              return [0, 1].slice(0, Number(what)).map((up) => {
                const [left, top] = at(corner[0], corner[1], z + up * PARCEL[2]);
                return <use key={`${left} ${top}`} href={`#${parcel}`} x={short(left)} y={short(top)} />;
              });
            })}
          </g>
        );
      })}
      {/* In front of the stock. */}
      <path d={uprights(x, y + RACK_DEPTH, length)} />
    </>
  );
}

function stock(what: string, [x, y, z]: Corner, room: number) {
  const key = `${x} ${z}`;
  if (what === '1') return [<Parcel key={key} from={[x, y, z]} size={[room, 1.8, 1.1]} />];
  if (what === '2') return [<Parcel key={key} from={[x, y, z]} size={[room, 1.8, 1.9]} />];
  if (what === '3')
    return [
      <Parcel key={key} from={[x, y, z]} size={[room, 1.8, 1]} />,
      <Parcel key={`${key} top`} from={[x + 0.2, y + 0.1, z + 1]} size={[room - 0.5, 1.5, 0.9]} />,
    ];
  if (what === '?')
    return [
      <path
        key={key}
        className="d-hot d-t"
        strokeWidth="3.5"
        strokeDasharray="6 7"
        d={pathData([
          topFace([x, y, z + 1.9], room, 1.8),
          leftFace([x, y + 1.8, z], room, 1.9),
          rightFace([x + room, y, z], 1.8, 1.9),
        ])}
      />,
    ];
  return [];
}
