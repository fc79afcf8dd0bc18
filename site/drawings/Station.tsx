import type { ReactNode } from 'react';
import { Pencil } from './parts/annotations.tsx';
import { Belt, WORK_HEIGHT } from './parts/belt.tsx';
import { Counter, Table } from './parts/bench.tsx';
import { Box } from './parts/box.tsx';
import { Parcel } from './parts/parcel.tsx';
import { BOOK, Person } from './parts/person.tsx';
import { Sheet } from './parts/sheet.tsx';
import { at, circle, pathData, polygon, polyline, topFace } from './projection.ts';

export type Step = 'assess' | 'redesign' | 'implement' | 'stabilize';

const Z = WORK_HEIGHT;
const STEPS = {
  assess: Assess,
  redesign: Redesign,
  implement: Implement,
  stabilize: Stabilize,
} satisfies Record<Step, () => ReactNode>;

/** One of the four stations of an engagement. */
export function Station({ of, label }: { of: Step; label?: string }) {
  const Drawing = STEPS[of];
  return (
    <Sheet label={label} view={[-100, -100, 200, 200]}>
      <Drawing />
    </Sheet>
  );
}

/** The map of the work on a table, and a magnifier over the spot. */
function Assess() {
  const lens = at(0.6, 0.3, Z + 1);
  return (
    <g transform="translate(0 26)scale(.8)">
      <Person feet={at(-3, -4.6)} pose="work" hair="bun" />
      <Table from={[-4.2, -3, 0]} size={[8.4, 6]} />
      <path className="d-p" d={pathData([topFace([-3.4, -2.3, Z], 6.8, 4.6)])} />
      <path
        className="d-f"
        d={pathData([
          topFace([-2.8, -1.7, Z], 1.6, 1.2),
          topFace([1.4, 0.7, Z], 1.4, 1.2),
          topFace([1.2, -1.8, Z], 1.6, 1.2),
          polyline([-1.2, -1.1, Z], [-0.4, -1.1, Z], [-0.4, 0.2, Z]),
          polyline([-2.6, 0.6, Z], [-1.4, 0.6, Z]),
          polyline([-2.6, 1.4, Z], [-0.6, 1.4, Z]),
        ])}
      />
      <path className="d-e" d="m31-39 30 17 4 8-9-2-30-17z" />
      <path className="d-p" strokeWidth="4" d={circle('floor', lens, 1.6)} />
      <g className="d-hot">
        <Box from={[-0.2, -0.4, Z + 0.9]} size={[1.5, 1.3, 0.9]} />
      </g>
      <path className="d-e" fillOpacity="0" strokeWidth="4" d={circle('floor', lens, 1.6)} />
    </g>
  );
}

/** The drafting board: the new line, before anybody builds it. */
function Redesign() {
  const side = (x: number) => [
    polyline([x, -2.2, 0], [x, 2.2, 0]),
    polyline([x, 0, 0], [x, 0, 3.6]),
    polyline([x, 1.5, 0], [x, 0, 2]),
  ];
  const [left, top] = at(-4.2, -2.8, 5.8);
  return (
    <g transform="translate(0 34)scale(.86)">
      <path strokeWidth="3" d={pathData([...side(-3), ...side(3)])} />
      <path
        className="d-l"
        d={pathData([polygon([-4.2, 2.8, 1.6], [4.2, 2.8, 1.6], [4.2, 2.8, 2], [-4.2, 2.8, 2])])}
      />
      <path
        className="d-r"
        d={pathData([polygon([4.2, 2.8, 1.6], [4.2, -2.8, 5.4], [4.2, -2.8, 5.8], [4.2, 2.8, 2])])}
      />
      <g transform={`matrix(.875 .5 -.724 .975 ${left} ${top})`}>
        <path className="d-t" d="M0 0h134v108H0z" />
        <path className="d-p" d="M10 9h114v82H10zM4 96h126v6H4z" />
        <path className="d-f" d="M20 20h22v18H20zM66 20h22v18H66zM66 60h22v18H66zM100 91V76h24" />
        <path d="M42 29h24M88 29h28" opacity=".4" />
        <path className="d-n" d="M42 29h12v40h64" />
      </g>
      <Pencil tip={at(2.4, 1.2, 3)} />
    </g>
  );
}

/** The client tries the new bench; its height is still being set. */
function Implement() {
  return (
    <g transform="translate(-6 30)scale(.94)">
      <Person feet={at(-1, -3.2)} pose="work" hair="cap" />
      <Counter from={[-3, -2]} size={[4.6, 3.6]} />
      <Parcel from={[-1.4, -1, Z]} />
      <path className="d-e" strokeWidth="2" d="M-72-14l-6 9h12zM-72 36l-6-9h12zM-72-8v38" />
      <path className="d-f" d="M-82-18h20M-82 40h20" />
      <Person feet={at(4.4, 0.2)} pose="point" hair="bun" apron />
    </g>
  );
}

/** The line runs, and whoever runs it reads up on it. */
function Stabilize() {
  return (
    <g transform="translate(0 8)scale(.8)">
      <Belt from={[-6, -2.4]} length={12} />
      {[-5.2, -2.2, 0.8, 3.8].map((x) => (
        <Parcel key={x} from={[x, -2.1, Z]} />
      ))}
      <Person feet={at(-1, 4.4)} pose="read" hair="bun" mirror>
        <path className="d-p" d={BOOK} />
      </Person>
    </g>
  );
}
