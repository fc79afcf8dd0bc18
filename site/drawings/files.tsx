import type { ReactElement } from 'react';
import { LostPlan } from './LostPlan.tsx';
import { packagePlans } from './PackagePlan.tsx';
import { parts } from './Part.tsx';
import { pillars } from './Pillar.tsx';
import { Portrait } from './Portrait.tsx';
import { problemDetails } from './ProblemDetail.tsx';
import { processStates } from './ProcessState.tsx';
import { stations } from './Station.tsx';

// An animation repaints every view of its file.
const { 'process-deliver': deliver, ...states } = processStates;

/**
 * The drawings of each file, by name. Most of what drawings of one kind and size say is the same, so a file of five is
 * little larger than one of them.
 */
export const files = {
  details: problemDetails,
  states,
  deliver: { 'process-deliver': deliver },
  parts,
  pillars,
  packages: packagePlans,
  stations,
  portrait: { portrait: <Portrait /> },
  'lost-plan': { 'lost-plan': <LostPlan /> },
} satisfies Record<string, Record<string, ReactElement>>;

type Files = typeof files;
export type DrawingName = { [File in keyof Files]: keyof Files[File] }[keyof Files];
