import type { ReactElement } from 'react';
import { NewLine } from './parts/annotations.tsx';
import { Belt, WORK_HEIGHT } from './parts/belt.tsx';
import { Counter, Table } from './parts/bench.tsx';
import { Box } from './parts/box.tsx';
import { Floor } from './parts/floor.tsx';
import { Parcel } from './parts/parcel.tsx';
import { Person } from './parts/person.tsx';
import { Rack } from './parts/rack.tsx';
import { Sheet } from './parts/sheet.tsx';
import { Van } from './parts/van.tsx';
import { at, onPlane, pathData, polyline } from './projection.ts';

export const pillars = {
  'pillar-design': pillar(<Design />),
  'pillar-visibility': pillar(<Visibility />),
  'pillar-enablement': pillar(<Enablement />),
};

function pillar(drawing: ReactElement) {
  return (
    <Sheet view={[-200, -122, 400, 346]}>
      <Band />
      {drawing}
    </Sheet>
  );
}

/*
 * The band behind the pillars is blue in both themes, so their colours are mixed from the band's: pale lines, and
 * faces a little lighter or darker than the band.
 */
const BAND = `.d-root{--line:var(--band-quiet);--ink:var(--band-ink);--label:var(--band-quiet);
--face-top:color-mix(in srgb,var(--band),#fff 18%);--face-left:color-mix(in srgb,var(--band),#fff 7%);
--face-right:color-mix(in srgb,var(--band),#000 12%);--sheet:var(--band);--ground:color-mix(in srgb,var(--band),#000 22%);
--grid:color-mix(in srgb,var(--face-top),var(--line) 22%)}`.replaceAll('\n', '');

function Band() {
  return <style>{BAND}</style>;
}

/** Workflow design: from order to van in one straight line, with the old route faint beside it. */
function Design() {
  const z = WORK_HEIGHT;
  const lane = 3.4;
  return (
    <g transform="translate(-62 -14)scale(.8)" strokeWidth="1.8">
      <Floor w={23} d={12} />
      <path
        className="d-h"
        opacity=".75"
        d={pathData([
          polyline(
            [2.2, 6, 0],
            [2.2, 10.6, 0],
            [9, 10.6, 0],
            [9, 7.6, 0],
            [5, 7.6, 0],
            [5, 11.4, 0],
            [14.6, 11.4, 0],
            [14.6, 8.4, 0],
            [11.6, 8.4, 0],
            [11.6, 10, 0],
            [17.4, 10, 0],
          ),
        ])}
      />
      <Table from={[0.6, 2, 0]} size={[3.6, 3.6]} />
      <g transform={onPlane('left', at(1.2, 3, z + 3.4))}>
        <path className="d-p" d="M0 0h36v54H0z" />
        <path className="d-k" d="M6 7h14v7H6z" />
        <path className="d-f" d="M6 22h24M6 30h24M6 38h24M6 46h14" />
      </g>
      <Belt from={[4.2, lane - 0.7]} length={4.2} />
      <Person feet={at(10.8, 1)} pose="work" hair="bun" apron />
      <Belt from={[12.6, lane - 0.7]} length={5.6} />
      <Counter from={[8.2, 1.9]} size={[4.4, 3.8]} />
      <NewLine
        through={[
          [2.4, lane + 0.4, z],
          [15.2, lane + 0.4, z],
        ]}
      />
      <Parcel from={[5.4, lane - 0.4, z]} />
      <Parcel from={[9.6, lane - 0.4, z]} />
      <Van from={[18.4, 0]} driver />
    </g>
  );
}

/** Operations visibility: stock on the shelf, and the same stock on a screen. */
function Visibility() {
  return (
    <>
      <Floor w={13} d={13} />
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
      <Floor w={13} d={13} />
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
