import { hero } from '../content/hero.ts';
import { Pencil } from './parts/annotations.tsx';
import { Belt, Counter, HalfPacked, Table, WIDTH, WORK_HEIGHT } from './parts/belt-and-benches.tsx';
import { Parcel } from './parts/boxes.tsx';
import { Papers, SheetMonitor } from './parts/desk-things.tsx';
import { Floor } from './parts/floor.tsx';
import { Lettering } from './parts/lettering-on.tsx';
import { Arms, Person } from './parts/person.tsx';
import { Rack } from './parts/rack.tsx';
import { Sheet } from './parts/sheet.tsx';
import { OpenVan, VanDoor } from './parts/van.tsx';
import { at, type Corner, circle, pathData, polyline, short, topFace } from './projection.ts';

/** The floor, in units along x and y. */
const W = 36;
const D = 24;
/** A parcel's y on the old line and on the new one, and where the new one branches off. */
const OLD_Y = 11.5;
const NEW_Y = 17.8;
const SPLIT_X = 12.6;
/** The new line: where it branches off, turns twice and ends. */
const ROUTE: readonly Corner[] = [
  [SPLIT_X + 0.8, NEW_Y - 4.4, WORK_HEIGHT],
  [SPLIT_X + 0.8, NEW_Y + 0.8, WORK_HEIGHT],
  [SPLIT_X + 18.8, NEW_Y + 0.8, WORK_HEIGHT],
  [SPLIT_X + 18.8, OLD_Y, WORK_HEIGHT],
];
/** It's drawn in pieces of whole dashes; the last of a leg takes the rest. */
const PIECE = 5.2;
/** How many parcels are on their way at once. The first is orange: it's the one that got through. */
const PARCELS = 6;
/** The van's far side. Both lines end at its open rear. */
const VAN_X = 29;
/** The bottleneck bench: its far corner and size. */
const BENCH: readonly [number, number] = [20, 10.4];
const BENCH_SIZE: readonly [number, number] = [4.4, 3.8];
/** The second bench, of the same size, beside the new line. */
const NEW_BENCH: readonly [number, number] = [22.25, 16.65];

/** Parcels in front of the station: units along x, y and up from the belt. */
const PILE: readonly Corner[] = [
  [18.25, OLD_Y, 0],
  [16.25, OLD_Y, 0],
  [14.75, OLD_Y, 0],
  [17.75, OLD_Y, 1.25],
  [12.75, OLD_Y, 0],
  [16.25, OLD_Y, 1.25],
  [17.75, OLD_Y, 2.5],
  [14.25, OLD_Y, 1.25],
  [10.75, OLD_Y, 0],
  [16.25, OLD_Y, 2.5],
  [17.25, OLD_Y, 3.75],
];
const FLOOR_PILE: readonly Corner[] = [
  [14.5, 14.5, -WORK_HEIGHT],
  [16.5, 14.5, -WORK_HEIGHT],
  [15.5, 14.5, 1.25 - WORK_HEIGHT],
];

const place = ([x, y, z]: Corner) => {
  const [left, top] = at(x, y, z + WORK_HEIGHT);
  return { x: short(left), y: short(top) };
};

/** The outline of a bench that's gone. */
function outline([x, y]: readonly [number, number], [w, d]: readonly [number, number]) {
  const z = WORK_HEIGHT;
  return [
    topFace([x, y, z], w, d),
    // In the same direction as the top, so that both are filled
    polyline([x + w, y, z], [x + w, y, 0], [x + w, y + d, 0], [x, y + d, 0], [x, y + d, z]),
    polyline([x + w, y + d, z], [x + w, y + d, 0]),
  ];
}

/** The nearer ones cover those behind them. They leave stack by stack, the end of the queue first. */
function Waiting({ parcels }: { parcels: readonly Corner[] }) {
  return [...parcels]
    .sort((a, b) => a[2] - b[2] || a[0] - b[0])
    .map((spot) => {
      const turn = Math.round(spot[0] / 2) - 6;
      return (
        <g key={spot.join()} className={turn > 0 ? `hp-old hp-t${turn}` : 'hp-old'}>
          <use href="#hp-p" {...place(spot)} />
        </g>
      );
    });
}

/**
 * Parcels that flow once the line is redrawn, and then stay where they are. Each is in its own group, since browsers can
 * move a group without repainting it, but not a `<use>`.
 */
function Flowing() {
  return Array.from({ length: PARCELS }, (_, turn) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: drawn once, never updated
    <g key={turn} className={`hp-flow hp-t${turn}${turn === 0 ? ' d-hot' : ''}`}>
      <use href="#hp-p" {...place([6.25, OLD_Y, 0])} />
    </g>
  ));
}

/** The new line, drawn piece by piece: an animated dash offset would repaint on every frame. */
function RedrawnLine() {
  const pieces = ROUTE.slice(1).flatMap((to, leg) => {
    const from = ROUTE[leg] ?? to;
    const [dx, dy] = [to[0] - from[0], to[1] - from[1]];
    const length = Math.abs(dx + dy);
    const count = Math.round(length / PIECE);
    const point = (n: number): Corner => {
      const part = n < count ? (n * PIECE) / length : 1;
      return [from[0] + dx * part, from[1] + dy * part, from[2]];
    };
    return Array.from({ length: count }, (_, n) => pathData([polyline(point(n), point(n + 1))]));
  });
  return pieces.map((d, turn) => (
    <g key={d} className={`hp-line hp-t${turn}`}>
      <path className="d-n" d={d} />
    </g>
  ));
}

/**
 * The small operation as it is: orders, stock, pick, pack, ship. Parcels pile up in front of the one orange station;
 * then the line is redrawn around it, they flow, and the van closes its doors on the first. It stays solved. Something is
 * always orange: the bench, or the outline of where it was.
 */
export function HeroPlan({ label }: { label?: string }) {
  const z = WORK_HEIGHT;
  const { lettering } = hero;
  return (
    <Sheet id="hp" label={label} view={[-348, -116, 864, 620]} className="hp">
      <defs>
        <Parcel id="hp-p" />
      </defs>
      <Floor w={W} d={D} />
      <Lettering text={lettering.stock} from={at(1.2, 7)} room={5.7} />
      <Lettering text={lettering.orders} from={at(1.5, 23.2)} room={9} />
      <Lettering text={lettering.pick} from={at(11.5, 23.2)} room={7.5} />
      <Lettering text={lettering.pack} from={at(20, 23.2)} room={8.5} />
      <Lettering text={lettering.ship} from={at(29.5, 23.2)} room={6} />
      <g id="hp-r">
        <Rack from={[2, 1]} length={12} parcel="hp-p" rows={['12021', '21102', '02120']} />
      </g>
      <use href="#hp-r" {...place([14, 0, -WORK_HEIGHT])} />
      <Table from={[1.5, 14.6, 0]} size={[10, 3.6]} />
      <SheetMonitor from={[2, 15, 3]} />
      <Papers from={[9.2, 15, z]} layers={1} />
      <Person feet={at(5.4, 19.9)} pose="call" hair="back" />
      <Person feet={at(12, 8.8)} pose="carry" hair="bun" legs="walk" />
      <use href="#hp-p" {...place([11.2, 10, 0.2])} />
      <OpenVan from={[VAN_X, 0.4]}>
        <use href="#hp-p" {...place([VAN_X + 0.3, 9.2, 1.3 - z])} />
        {[-2.2, 4.4].map((hinge) => (
          <g key={hinge} className="hp-door">
            <VanDoor from={[VAN_X + hinge, 0.4]} />
          </g>
        ))}
      </OpenVan>
      <g className="hp-hot hp-ring">
        <path className="d-hot d-h" d={circle('floor', at(22.2, 12.3), 4.6)} />
      </g>
      <Belt from={[6, 11.2]} length={8.5} />
      <g className="hp-hot">
        <Belt from={[14.5, 11.2]} length={5.5} />
        <Belt from={[24.5, 11.2]} length={9} />
      </g>
      <Person feet={at(24, 8)}>
        <g className="hp-hot">
          <Arms pose="worry" />
        </g>
        <g className="hp-new">
          <Arms pose="carry" />
        </g>
      </Person>
      <g className="hp-new">
        <path
          className="d-h"
          d={pathData([topFace([14.5, 11.2, z], 5.5, WIDTH), topFace([24.5, 11.2, z], 5, WIDTH)])}
        />
        <path className="d-hot d-h" d={pathData(outline(BENCH, BENCH_SIZE))} />
        <use href="#hp-p" {...place([23.2, 9.2, 0.2])} />
      </g>
      <g className="d-hot hp-hot">
        <Counter from={BENCH} size={BENCH_SIZE} />
        <HalfPacked from={[21.8, 11]} />
      </g>
      <g className="d-y">
        <Waiting parcels={PILE} />
        <Waiting parcels={FLOOR_PILE} />
      </g>
      <Person feet={at(20.8, 15.6)} hair="cap" mirror>
        <g className="hp-hot">
          <Arms pose="wait" />
        </g>
        <g className="hp-new">
          <Arms pose="work" />
        </g>
      </Person>
      <g className="hp-new hp-way">
        <Belt from={[SPLIT_X - 0.3, 11.4]} length={6.1} along="y" />
        <Belt from={[SPLIT_X + 17.7, 11.4]} length={6.1} along="y" />
        <Belt from={[SPLIT_X - 0.3, 17.5]} length={20.2} />
      </g>
      <g className="hp-new hp-set">
        <Counter from={NEW_BENCH} size={BENCH_SIZE} />
      </g>
      <RedrawnLine />
      <g className="d-y">
        <Flowing />
      </g>
      <Person feet={at(13.8, 20.7)} pose="point" hair="bun" mirror apron />
      <g className="hp-pen">
        <Pencil tip={at(SPLIT_X + 18.8, OLD_Y, z)} />
      </g>
    </Sheet>
  );
}
