import type { ReactElement } from 'react';
import { LostPlan } from './LostPlan.tsx';
import { packagePlans } from './PackagePlan.tsx';
import { parts } from './Part.tsx';
import { pillars } from './Pillar.tsx';
import { Portrait } from './Portrait.tsx';
import { KeyPlan, Leaders, problemDetails } from './ProblemDetail.tsx';
import { processStates } from './ProcessState.tsx';
import { StationsAcross, StationsDown, StationsVan } from './Station.tsx';

/**
 * The drawings of each file, by name. Most of what drawings of one kind and size say is the same, so a file of five is
 * little larger than one of them.
 */
export const files = {
  details: problemDetails,
  plan: { 'key-plan': <KeyPlan /> },
  leaders: { leaders: <Leaders /> },
  parts,
  states: processStates,
  pillars,
  packages: packagePlans,
  across: { 'stations-across': <StationsAcross />, 'stations-van': <StationsVan /> },
  down: { 'stations-down': <StationsDown /> },
  portrait: { portrait: <Portrait /> },
  'lost-plan': { 'lost-plan': <LostPlan /> },
} satisfies Record<string, Record<string, ReactElement>>;

type Files = typeof files;
export type DrawingName = { [File in keyof Files]: keyof Files[File] }[keyof Files];
