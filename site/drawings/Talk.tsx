import { Counter, WORK_HEIGHT } from './parts/belt-and-benches.tsx';
import { Parcel } from './parts/boxes.tsx';
import { Floor } from './parts/floor.tsx';
import { Person } from './parts/person.tsx';
import { Sheet } from './parts/sheet.tsx';
import { at, onPlane } from './projection.ts';

/** Above a head, with its point towards it */
const BUBBLE = 'M0-46h54v34H34L26 0l-3-12H0z';

/** At the counter, before anything is sent: one asks, the other has the answer on the plan between them. */
export function Talk() {
  const z = WORK_HEIGHT;
  return (
    <Sheet view={[-127, -103, 282, 277]}>
      {/* It's shown larger than others, with the same pen. */}
      <g strokeWidth={1.1}>
        <Floor w={11} d={9} />
        <Person feet={at(3, 2.4)} pose="wait" hair="cap" apron mirror />
        <Person feet={at(7, 1.4)} pose="work" hair="bun" tool="M-26-49-39-38-42-30-34-34-23-43z" />
        <Counter from={[1, 4.2]} size={[9, 3.4]} />
        <g transform={onPlane('floor', at(2, 4.7, z))}>
          <path className="d-p" d="M0 0h72v40H0z" />
          <path className="d-f" d="M6 8h20v10H6zM44 22h22v11H44z" />
          <path stroke="var(--ink)" strokeWidth="2" strokeDasharray="3.5 4" d="M16 20v9h26" />
        </g>
        <Parcel from={[7.8, 5.1, z]} />
        <g transform="translate(-36 -55)">
          <path className="d-p" d={BUBBLE} />
          <path strokeWidth="4" d="M21-34q1-5 6-5 6 0 6 5 0 3-6 7v2m0 6v.1" />
        </g>
        <g transform="translate(111 -33) scale(-1 1)">
          <path className="d-p" d={BUBBLE} />
          <path strokeWidth="4" d="m38-29-6 8-15-16" />
        </g>
      </g>
    </Sheet>
  );
}
