import { packages } from '../content/packages.ts';
import { Belt, WORK_HEIGHT } from './parts/belt.tsx';
import { Counter, Table } from './parts/bench.tsx';
import { Box } from './parts/box.tsx';
import { Floor } from './parts/floor.tsx';
import { SheetMonitor } from './parts/monitor.tsx';
import { Parcel } from './parts/parcel.tsx';
import { BOOK, Person } from './parts/person.tsx';
import { Rack } from './parts/rack.tsx';
import { onBand, Sheet } from './parts/sheet.tsx';
import { at, onPlane, pathData, topFace } from './projection.ts';

const Z = WORK_HEIGHT;

/** One corner of the plan, and what each step adds to it, the far things first. */
const STEPS = [Stock, Desk, Line, Board, Flow];

/** The corner after each step. Two to five packages share these: each has reached a further one, and the last has all. */
export const packagePlans = {
  'package-1': plan(1),
  'package-2': plan(2),
  'package-3': plan(3),
  'package-4': plan(4),
  'package-5': plan(5),
};

/** The plan of a stage. The popular one's sheet is inverse, and so is its plan. */
export function packagePlan(stage: number, of: number) {
  return `package-${Math.round((stage * STEPS.length) / of)}` as keyof typeof packagePlans;
}

function plan(step: number) {
  const Step = STEPS[step - 1] ?? Flow;
  const { items } = packages;
  const inverse = items.some(
    ({ popular }, at) => popular && packagePlan(at + 1, items.length) === `package-${step}`,
  );
  return (
    <Sheet view={[-180, -129, 416, 377]} className={inverse ? 'd-inverse' : ''}>
      {inverse && <style>{onBand('.d-inverse')}</style>}
      <g id={`p${step}`}>
        {step > 1 && <use href={`#p${step - 1}`} />}
        <Step />
      </g>
    </Sheet>
  );
}

/** Every spot is marked out on the floor; the first one filled is the stock. */
function Stock() {
  return (
    <>
      <Floor w={16} d={12} />
      <path
        className="d-h"
        d={pathData([
          topFace([0.8, 5, 0], 5, 3),
          topFace([7, 5.6, 0], 8.6, 2.2),
          topFace([11, 1.4, 0], 4.4, 1.2),
          topFace([5, 9.6, 0], 8.4, 2.2),
        ])}
      />
      <Rack from={[0.8, 0.6]} length={9} rows={['121', '213', '112']} />
    </>
  );
}

function Desk() {
  return (
    <>
      <Table from={[0.8, 5, 0]} size={[5, 3]} />
      <SheetMonitor from={[0, 5.4, 3]} />
      <Person feet={at(3.4, 9.2)} pose="type" hair="back" />
    </>
  );
}

function Line() {
  return (
    <>
      <Person feet={at(11, 4.6)} pose="work" hair="bun" apron />
      <Belt from={[7, 5.8]} length={9} />
      <Counter from={[9.6, 5.2]} size={[3, 3.4]} />
    </>
  );
}

function Board() {
  return (
    <>
      <Box from={[11, 1.6, 1.6]} size={[4.6, 0.4, 5]} />
      <g transform={onPlane('left', at(11, 2, 6.6))}>
        <path className="d-k" d="M9 60V42h11v18zM27 60V28h11v32zM45 60V14h11v46z" />
      </g>
    </>
  );
}

/** Work that moves by itself, and time to read. */
function Flow() {
  return (
    <>
      {[7.4, 10.2, 13.4].map((x) => (
        <Parcel key={x} from={[x, 6.1, Z]} />
      ))}
      <Belt from={[5, 9.6]} length={8.4} />
      {[5.6, 8.2, 10.8].map((x) => (
        <Parcel key={x} from={[x, 9.9, Z]} />
      ))}
      <Person feet={at(15, 11)} pose="read" tool="" hair="cap">
        <path className="d-p" d={BOOK} />
      </Person>
    </>
  );
}
