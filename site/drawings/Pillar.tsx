import type { ReactElement } from 'react';
import { NewLine } from './parts/annotations.tsx';
import { Belt, Counter, Table, WORK_HEIGHT } from './parts/belt-and-benches.tsx';
import { Box, Parcel } from './parts/boxes.tsx';
import { Clipboard } from './parts/desk-things.tsx';
import { Person } from './parts/person.tsx';
import { Rack } from './parts/rack.tsx';
import { onBand, Sheet } from './parts/sheet.tsx';
import { House, Ladder } from './parts/site.tsx';
import { OpenVan } from './parts/van.tsx';
import { at, onPlane, type Point, pathData, polyline } from './projection.ts';

/** The three pillars, to one scale. They stand on one floor, which the page draws through all of them. */
export const pillars = {
  'pillar-design': pillar([-143, -154], <Design />),
  'pillar-visibility': pillar([-109, -128], <Visibility />),
  'pillar-enablement': pillar([-120, -135], <Enablement />),
};

function pillar([left, top]: Point, drawing: ReactElement) {
  return (
    <Sheet view={[left, top, 360, 306]}>
      <style>{onBand('.d-root')}</style>
      {drawing}
    </Sheet>
  );
}

/** Workflow design: from order to van in one straight line, with the old route faint beside it. */
function Design() {
  const z = WORK_HEIGHT;
  const lane = 2.2;
  return (
    <>
      <path
        className="d-h"
        opacity=".75"
        d={pathData([
          polyline([4, 9, 0], [8, 9, 0], [8, 5, 0], [6, 5, 0], [6, 8, 0], [10, 8, 0], [10, 2, 0], [5, 2, 0]),
        ])}
      />
      <OpenVan from={[0, -10.8]} />
      <Parcel from={[0.8, -2, 1.3]} />
      <Belt from={[1.1, 0.1]} length={2.6} along="y" />
      <Person feet={at(-0.6, 4.2)} pose="work" hair="bun" apron mirror />
      <Counter from={[0.4, 2.7]} size={[3.6, 3.6]} />
      <Belt from={[1.1, 6.3]} length={1.8} along="y" />
      <Table from={[0.6, 8, 0]} size={[3.2, 2.8]} />
      <NewLine
        through={[
          [lane, 10, z],
          [lane, 0.2, z],
        ]}
      />
      <Parcel from={[lane - 0.8, 5.6, z]} />
      <g transform={onPlane('right', at(1, 10.6, z + 3.4))}>
        <path className="d-p" d="M0 0h36v54H0z" />
        <path className="d-k" d="M6 7h14v7H6z" />
        <path className="d-f" d="M6 22h24M6 30h24M6 38h24M6 46h14" />
      </g>
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
      <Person feet={at(11, 9.6)} pose="point" hair="bun" />
    </>
  );
}

/** Team enablement: installers on a site, with their own list, and nobody who tells them what comes next. */
function Enablement() {
  return (
    <>
      <House from={[0.2, -2.4]} />
      <Ladder foot={[8.8, 1.6, 0]} top={[5.8, 1.6, 6.4]} />
      <Person feet={at(8.2, 2.4, 1.6)} pose="work" hair="back" tool="" />
      <Person feet={at(2, 8.4)} pose="read" hair="bun" tool="" apron>
        <g transform="translate(-27 -64)">
          <Clipboard from={[0, 0, 0]} on="right" ticks={3} />
        </g>
      </Person>
      <Person feet={at(10, 7.2)} pose="carry" hair="cap" legs="walk">
        <path className="d-k" d="M-44-58l30-16v34l-30 16z" />
        <path stroke="var(--body-top)" className="d-f" d="M-29-66v34M-44-41l30-16" />
      </Person>
      <Parcel from={[5.4, 10, 0]} />
    </>
  );
}
