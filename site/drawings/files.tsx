import type { ReactElement } from 'react';
import { Kept } from './Kept.tsx';
import { LostPlan } from './LostPlan.tsx';
import { packagePlans } from './PackagePlan.tsx';
import { pillars } from './Pillar.tsx';
import { Portrait } from './Portrait.tsx';
import { KeyPlan, leaders, problemDetails } from './ProblemDetail.tsx';
import { processStates } from './ProcessState.tsx';
import { StationsAcross, StationsDown } from './Station.tsx';
import { System } from './System.tsx';
import { Talk } from './Talk.tsx';

/**
 * The drawings of each file, by name, all of one size. Drawings of one kind and size share most of their code, so a
 * file of five is little larger than one of them.
 */
export const files = {
  details: { width: 268, height: 268, drawings: problemDetails },
  plan: { width: 850, height: 602, drawings: { 'key-plan': <KeyPlan /> } },
  leaders: { width: 1200, height: 350, drawings: leaders },
  system: { width: 284, height: 218, drawings: { system: <System /> } },
  kept: { width: 404, height: 336, drawings: { kept: <Kept /> } },
  states: { width: 506, height: 351, drawings: processStates },
  pillars: { width: 360, height: 306, drawings: pillars },
  packages: { width: 320, height: 302, drawings: packagePlans },
  across: {
    width: 1254,
    height: 276,
    drawings: { 'stations-across': <StationsAcross /> },
  },
  down: { width: 242, height: 1340, drawings: { 'stations-down': <StationsDown /> } },
  talk: { width: 282, height: 277, drawings: { talk: <Talk /> } },
  portrait: { width: 400, height: 500, drawings: { portrait: <Portrait /> } },
  'lost-plan': { width: 486, height: 321, drawings: { 'lost-plan': <LostPlan /> } },
} satisfies Record<string, { width: number; height: number; drawings: Record<string, ReactElement> }>;

type Files = typeof files;
export type DrawingName = { [File in keyof Files]: keyof Files[File]['drawings'] }[keyof Files];
