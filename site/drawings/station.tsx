import { NewLine, Pencil } from './parts/annotations.tsx';
import { Belt, WORK_HEIGHT } from './parts/belt.tsx';
import { Counter, Table } from './parts/bench.tsx';
import { Box } from './parts/box.tsx';
import { Parcel } from './parts/parcel.tsx';
import { Person } from './parts/person.tsx';
import { Sheet } from './parts/sheet.tsx';
import { at, circle, onPlane, pathData, polygon, polyline, topFace } from './projection.ts';

export type Step = 'assess' | 'redesign' | 'implement' | 'stabilize';

const Z = WORK_HEIGHT;
const STEPS = {
  assess: Assess,
  redesign: Redesign,
  implement: Implement,
  stabilize: Stabilize,
} satisfies Record<Step, () => unknown>;

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
  const lens = at(0.6, 0.3, Z + 1.2);
  return (
    <g transform="translate(0 12)">
      <Table from={[-4.2, -3, 0]} size={[8.4, 6]} />
      <path className="d-p" d={pathData([topFace([-3.4, -2.3, Z], 6.8, 4.6)])} />
      <path
        className="d-f"
        d={pathData([
          topFace([-2.8, -1.7, Z], 1.6, 1.2),
          topFace([-0.1, -0.4, Z], 1.4, 1.4),
          topFace([1.6, 0.6, Z], 1.2, 1.2),
          polyline([-1.2, -1.1, Z], [0.6, -1.1, Z], [0.6, -0.4, Z]),
          polyline([0.6, 1, Z], [0.6, 1.3, Z], [1.6, 1.3, Z]),
          polyline([-2.6, 1.6, Z], [-0.6, 1.6, Z]),
        ])}
      />
      <path className="d-k" d="m22-8 25 15 4 7-8-1-25-15z" />
      <g className="d-hot">
        <path className="d-t" fillOpacity=".75" strokeWidth="3" d={circle('floor', lens, 1.35)} />
      </g>
      <Person feet={at(-2.4, -4.6)} pose="work" hair="bun" scale={0.9} />
    </g>
  );
}

/** The drafting board: the new line, before anybody builds it. */
function Redesign() {
  return (
    <g transform="translate(2 30)">
      <path
        d={pathData([
          polyline([-3, 2.6, 0], [-3, -2.4, 3.6]),
          polyline([3, 2.6, 0], [3, -2.4, 3.6]),
          polyline([3, -2.6, 0], [3, 2.4, 2.2]),
          polyline([-3, -2.6, 0], [-3, 2.4, 2.2]),
        ])}
      />
      <path
        className="d-l"
        d={pathData([polygon([-4.2, 2.8, 1.6], [4.2, 2.8, 1.6], [4.2, 2.8, 2], [-4.2, 2.8, 2])])}
      />
      <path
        className="d-r"
        d={pathData([polygon([4.2, 2.8, 1.6], [4.2, -2.8, 5.4], [4.2, -2.8, 5.8], [4.2, 2.8, 2])])}
      />
      <path
        className="d-t"
        d={pathData([polygon([-4.2, 2.8, 2], [4.2, 2.8, 2], [4.2, -2.8, 5.8], [-4.2, -2.8, 5.8])])}
      />
      <g transform={`matrix(.875 .5 -.598 1.082 ${at(-4.2, -2.8, 5.8).join(' ')})`}>
        <path className="d-p" d="M12 8h110v68H12z" />
        <path className="d-f" d="M20 16h22v16H20zM66 16h22v16H66zM66 50h22v16H66zM94 70h28M94 64h28v12" />
        <path d="M42 24h24M88 24h22" opacity=".4" />
        <path className="d-n" d="M42 24h12v34h52" />
      </g>
      <Pencil tip={at(1.6, 1.5, 2.9)} />
    </g>
  );
}

/** The client tries the new bench; its height is still being set. */
function Implement() {
  return (
    <g transform="translate(-6 22)">
      <Person feet={at(-1, -3.2)} pose="work" hair="cap" />
      <Counter from={[-3, -2]} size={[4.6, 3.6]} />
      <Parcel from={[-1.4, -1, Z]} />
      <path className="d-e" d="M-66-14l-5 8h10zM-66 34l-5-8h10zM-66-8v36" />
      <Person feet={at(4.4, 0.2)} pose="point" hair="bun" apron />
    </g>
  );
}

/** The line runs, and the manual stands beside it. */
function Stabilize() {
  return (
    <g transform="translate(-4 0)">
      <Belt from={[-5.6, -1.4]} length={11} />
      {[-5, -2.2, 0.6, 3.4].map((x) => (
        <Parcel key={x} from={[x, -1.1, Z]} />
      ))}
      <Person feet={at(-0.4, 4.6)} pose="read" hair="bun" mirror />
      <g transform={onPlane('left', [-57, -14])}>
        <path className="d-p" d="M0 0q8-4 15 2 7-6 15-2v20q-8-4-15 2-7-6-15-2zM15 2v20" />
      </g>
    </g>
  );
}
void NewLine;
void Box;
