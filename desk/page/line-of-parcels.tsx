import { Belt, WORK_HEIGHT } from '../../site/drawings/parts/belt.tsx';
import { Counter } from '../../site/drawings/parts/bench.tsx';
import { Floor } from '../../site/drawings/parts/floor.tsx';
import { Lettering } from '../../site/drawings/parts/lettering-on.tsx';
import { Parcel } from '../../site/drawings/parts/parcel.tsx';
import { BOOK, Person } from '../../site/drawings/parts/person.tsx';
import { Sheet } from '../../site/drawings/parts/sheet.tsx';
import { at } from '../../site/drawings/projection.ts';

/** How many parcels lie in each layer on the belt. */
const LAYERS = [7, 6, 4];

/** A parcel on the belt for each message that waits, the oldest first in line; late ones are orange. */
export function LineOfParcels({ unanswered, late }: { unanswered: number; late: number }) {
  const places = LAYERS.flatMap((count, layer) =>
    Array.from({ length: count }, (_, turn) => ({ x: 14 - turn * 1.85 - layer * 0.9, z: layer * 1.25 })),
  );
  const parcels = places.slice(0, unanswered).map((location, turn) => ({ ...location, isLate: turn < late }));
  return (
    <Sheet view={[-130, -64, 430, 322]}>
      <Floor w={21} d={9} />
      <Lettering text="INBOX" from={at(2, 8.2)} scale={5} />
      <Belt from={[0.8, 2.6]} length={15.2} />
      {parcels
        .toSorted((a, b) => a.z - b.z || a.x - b.x)
        .map(({ x, z, isLate }) => (
          <g key={`${x} ${z}`} className={isLate ? 'd-hot' : undefined}>
            <Parcel from={[x, 2.9, WORK_HEIGHT + z]} />
          </g>
        ))}
      <Counter from={[16.4, 2]} size={[3.4, 3.4]} />
      <Person
        feet={at(19, 7.2)}
        hair="bun"
        {...(unanswered > 0 ? { pose: 'work' } : { pose: 'read', tool: BOOK })}
      />
    </Sheet>
  );
}
