import type { ReactElement } from 'react';
import { LostPlan } from './LostPlan.tsx';
import { pillars } from './Pillar.tsx';
import { Portrait } from './Portrait.tsx';
import { problemDetails } from './ProblemDetail.tsx';
import { processStates } from './ProcessState.tsx';
import { stations } from './Station.tsx';

/** Drawings that become their own files, by file name. */
export const drawings = {
  ...problemDetails,
  ...processStates,
  ...pillars,
  ...stations,
  portrait: <Portrait />,
  'lost-plan': <LostPlan />,
} satisfies Record<string, ReactElement>;

export type DrawingName = keyof typeof drawings;
