import type { ReactElement } from 'react';
import { LostPlan } from './LostPlan.tsx';
import { Pillar } from './Pillar.tsx';
import { Portrait } from './Portrait.tsx';
import { ProblemDetail } from './ProblemDetail.tsx';
import { ProcessState } from './ProcessState.tsx';
import { Station } from './Station.tsx';

/** The drawings that become files of their own, by the names of those files. */
export const drawings = {
  'detail-spreadsheet': <ProblemDetail of="spreadsheet" />,
  'detail-stock': <ProblemDetail of="stock" />,
  'detail-accountability': <ProblemDetail of="accountability" />,
  'detail-errors': <ProblemDetail of="errors" />,
  'detail-disconnect': <ProblemDetail of="disconnect" />,
  'process-diagnose': <ProcessState state="diagnose" />,
  'process-redesign': <ProcessState state="redesign" />,
  'process-deliver': <ProcessState state="deliver" />,
  'pillar-design': <Pillar of="design" />,
  'pillar-visibility': <Pillar of="visibility" />,
  'pillar-enablement': <Pillar of="enablement" />,
  'station-assess': <Station of="assess" />,
  'station-redesign': <Station of="redesign" />,
  'station-implement': <Station of="implement" />,
  'station-stabilize': <Station of="stabilize" />,
  portrait: <Portrait />,
  'lost-plan': <LostPlan />,
} satisfies Record<string, ReactElement>;

export type DrawingName = keyof typeof drawings;
