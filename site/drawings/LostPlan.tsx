import { NewLine } from './parts/annotations.tsx';
import { Belt, WORK_HEIGHT } from './parts/belt-and-benches.tsx';
import { Box, Parcel } from './parts/boxes.tsx';
import { Floor } from './parts/floor.tsx';
import { Lettering } from './parts/lettering-on.tsx';
import { Person } from './parts/person.tsx';
import { Sheet } from './parts/sheet.tsx';
import { at } from './projection.ts';

/** For the 404 page: the line ends in the middle of the floor, with one parcel on it. */
export function LostPlan() {
  const z = WORK_HEIGHT;
  return (
    <Sheet view={[-194, -33, 486, 321]}>
      <Floor w={20} d={13} />
      <Lettering text="404" from={at(1.6, 11.6)} scale={8} />
      <Belt from={[0.5, 3]} length={9} />
      <Parcel from={[1.6, 3.3, z]} />
      <g className="d-hot">
        <Parcel from={[7.6, 3.3, z]} />
      </g>
      <Box from={[17.2, 5, 0]} size={[0.4, 0.4, 2.4]} />
      <Box from={[16, 5, 2.4]} size={[3, 0.4, 3]} />
      <Lettering text="?" on="left" from={at(16.8, 5.4, 2.9)} scale={5.5} />
      <NewLine
        through={[
          [10, 4.4, 0],
          [12, 4.4, 0],
          [12, 9, 0],
          [17.4, 9, 0],
          [17.4, 6.8, 0],
        ]}
      />
      <Person feet={at(15, 11.8)} pose="shrug" hair="bun" apron mirror />
    </Sheet>
  );
}
