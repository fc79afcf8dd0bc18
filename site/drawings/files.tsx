import type { ReactElement } from 'react';
const Stub = ({ t, w = 400, h = 400 }: { t: string; w?: number; h?: number }) => (
  <svg width={w} height={h} viewBox={`0 0 ${w} ${h}`} className="d-root"><path className="d-t" d={`M20 20h${w-40}v${h-40}h-${w-40}z`} /><text x="30" y="60">{t}</text></svg>
);
const names = ['detail-spreadsheet','detail-stock','detail-accountability','detail-errors','detail-disconnect','process-diagnose','process-redesign','process-deliver','pillar-design','pillar-visibility','pillar-enablement','station-assess','station-redesign','station-implement','station-stabilize','portrait','lost-plan'] as const;
export type DrawingName = (typeof names)[number];
export const drawings = Object.fromEntries(names.map((n) => [n, <Stub key={n} t={n} w={n==='portrait'?400:n.startsWith('process')?480:400} h={n==='portrait'?500:n.startsWith('process')?320:400} />])) as Record<DrawingName, ReactElement>;
