import { NewLine } from './parts/annotations.tsx';
import { Belt, WORK_HEIGHT } from './parts/belt.tsx';
import { Floor } from './parts/floor.tsx';
import { Lettering } from './parts/lettering-on.tsx';
import { Parcel } from './parts/parcel.tsx';
import { Person } from './parts/person.tsx';
import { Sheet } from './parts/sheet.tsx';
import { at, circle } from './projection.ts';

/** The plan of a page that is not there: the line ends in the middle of the floor, one parcel on it. */
export function LostPlan({ label }: { label?: string }) {
  const z = WORK_HEIGHT;
  return (
    <Sheet label={label} view={[-194, -40, 486, 330]}>
      <Floor w={20} d={13} />
      <Lettering text="404" from={at(1.6, 11.6)} scale={8} />
      <path className="d-h" d={circle('floor', at(11.4, 4.4), 3)} />
      <Belt from={[0.5, 3]} length={9} />
      <Parcel from={[1.6, 3.3, z]} />
      <g className="d-hot">
        <Parcel from={[7.6, 3.3, z]} />
      </g>
      <NewLine
        through={[
          [10, 4.4, 0],
          [13, 4.4, 0],
          [13, 8.4, 0],
          [16.6, 8.4, 0],
          [16.6, 3, 0],
          [18.8, 3, 0],
        ]}
      />
      <Person feet={at(12, 1.6)} pose="shrug" hair="bun" apron />
      <Lettering text="?" on="flat" from={[164, 34]} scale={4} />
    </Sheet>
  );
}
