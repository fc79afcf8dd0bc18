import type { ReactNode } from 'react';
import { NewLine } from './parts/annotations.tsx';
import { Box } from './parts/box.tsx';
import { Floor } from './parts/floor.tsx';
import { Parcel } from './parts/parcel.tsx';
import { Person } from './parts/person.tsx';
import { Rack } from './parts/rack.tsx';
import { Sheet } from './parts/sheet.tsx';
import { at, onPlane, pathData, polyline } from './projection.ts';

export type PillarName = 'design' | 'visibility' | 'enablement';

const PILLARS = { design: Design, visibility: Visibility, enablement: Enablement } satisfies Record<
  PillarName,
  () => ReactNode
>;

/*
 * The pillars stand on the one inverted sheet of the page, so their lines and faces are mixed from its
 * colours: in either theme they look like a drawing of the other one.
 */
const INVERSE = `.d-root{--line:var(--inverse-quiet);--ink:var(--inverse-ink);--label:var(--inverse-quiet);
--face-top:color-mix(in srgb,var(--inverse),#fff 18%);--face-left:color-mix(in srgb,var(--inverse),#fff 7%);
--face-right:color-mix(in srgb,var(--inverse),#000 12%);--sheet:var(--inverse);
--grid:color-mix(in srgb,var(--face-top),var(--line) 22%)}`.replaceAll('\n', '');

/** What the three services rest on. */
export function Pillar({ of, label }: { of: PillarName; label?: string }) {
  const Drawing = PILLARS[of];
  return (
    <Sheet label={label} view={[-200, -122, 400, 346]}>
      <style>{INVERSE}</style>
      <Floor w={13} d={13} />
      <Drawing />
    </Sheet>
  );
}

/** Workflow design: the path no longer runs into the block, it bends round it. */
function Design() {
  return (
    <>
      <path className="d-h" d={pathData([polyline([0.6, 4, 0], [12.6, 4, 0])])} />
      <Box from={[5, 2.2, 0]} size={[4, 3.6, 6]} />
      <path
        className="d-f"
        d={pathData([1, 2, 3, 4, 5].map((z) => polyline([5, 5.8, z], [9, 5.8, z], [9, 2.2, z])))}
      />
      <NewLine
        through={[
          [0.6, 4, 0],
          [2.8, 4, 0],
          [2.8, 9.4, 0],
          [10.8, 9.4, 0],
          [10.8, 4, 0],
          [12.8, 4, 0],
        ]}
      />
      <Parcel from={[2, 6, 0]} />
      <Parcel from={[6, 8.6, 0]} />
      <Person feet={at(12, 1.6)} pose="point" hair="bun" apron />
    </>
  );
}

/** Operations visibility: stock on the shelf, and the same stock on a screen. */
function Visibility() {
  return (
    <>
      <Rack from={[1, 0.6]} length={9} rows={['121', '213', '112']} />
      <Box from={[2.4, 8, 0]} size={[0.5, 0.5, 2.4]} />
      <Box from={[8.2, 8, 0]} size={[0.5, 0.5, 2.4]} />
      <Box from={[1, 7.9, 2]} size={[9.2, 0.5, 5.4]} />
      <g transform={onPlane('left', at(1, 8.4, 7.4))}>
        <path className="d-p" d="M6 6h135v75H6z" />
        <path className="d-k" d="M14 70V52h10v18zM30 70V40h10v30zM46 70V46h10v24zM62 70V28h10v42z" />
        <path className="d-f" d="M12 16h34M12 70h64M84 14v60M92 20h40M92 32h28M92 44h36M92 56h20" />
        <path d="M92 70l10-6 9 3 10-12 12 3" />
      </g>
      <Person feet={at(12, 10.8)} pose="point" hair="bun" />
    </>
  );
}

/** Team enablement: people around the procedure they wrote together. */
function Enablement() {
  const steps = [0, 1, 2].map((i) => 18 + i * 25);
  return (
    <>
      <path d={pathData([polyline([3.4, 3, 0], [3.4, 3, 3]), polyline([9.4, 3, 0], [9.4, 3, 3])])} />
      <Box from={[2.4, 2.6, 2.4]} size={[8, 0.4, 6.4]} />
      <g transform={onPlane('left', at(2.4, 3, 8.8))}>
        <path className="d-p" d="M5 5h118v92H5z" />
        <path className="d-f" d={steps.map((y) => `M36 ${y + 3}h52M36 ${y + 10}h36`).join('')} />
        <path className="d-k" d={steps.map((y) => `M14 ${y}h14v14H14z`).join('')} />
        <path d={steps.map((y) => `M98 ${y + 6}l5 6 9-12`).join('')} />
        <path d="M21 32v11M21 57v11" />
      </g>
      <Person feet={at(2.2, 7.8)} pose="wait" hair="cap" mirror />
      <Person feet={at(7.4, 9.6)} pose="read" hair="back" />
      <Person feet={at(11.6, 6.4)} pose="point" hair="bun" apron />
    </>
  );
}
