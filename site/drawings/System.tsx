import { OLD } from './parts/annotations.tsx';
import { Box } from './parts/boxes.tsx';
import { Papers, SheetMonitor } from './parts/desk-things.tsx';
import { Person } from './parts/person.tsx';
import { Sheet } from './parts/sheet.tsx';
import { at, onPlane, pathData, polyline } from './projection.ts';

/** As on the hero's floor, whose scale and objects it shares. */
const GRID = [-3, -1, 1, 3].flatMap((i) => [
  polyline([i, -4.8, 0], [i, 4.8, 0]),
  polyline([-4.8, i, 0], [4.8, i, 0]),
]);

/** The sheet on a large screen, and the same jobs in an app, in the hand of whoever is out for them; the paper they replace is gone. */
export function System() {
  return (
    <Sheet view={[-142, -126, 284, 218]}>
      {/* It's shown larger than others, with the same pen. */}
      <g strokeWidth={1.1}>
        <Box from={[-5, -5, -0.4]} size={[10, 10, 0.4]} />
        <path className="d-g" d={pathData(GRID)} />
        <style>{OLD}</style>
        <g className="old d-h">
          <Papers from={[-4.3, 2.4, 0]} layers={8} />
          <Papers from={[-2, 3.1, 0]} layers={4} />
        </g>
        <Person feet={at(3.6, -1.8)} pose="read" hair="cap" tool="M-22-60l9 3v14l-9-3z" />
        <Box from={[-2.7, -0.2, 0]} size={[2.6, 1.4, 0.3]} />
        <SheetMonitor from={[-4.7, 0.2, 0.7]} />
        <rect className="d-r" width="38" height="76" rx="6" transform={onPlane('left', at(2, 2.6, 4.8))} />
        <g transform={onPlane('left', at(2, 2.9, 4.8))}>
          <rect className="d-t" width="38" height="76" rx="6" />
          <path className="d-p" d="M4 11h30v55H4z" />
          <path className="d-k" d="M14 5h10v2H14zM8 15h14v4H8zM8 55h22v7H8z" />
          <path className="d-f" d="M8 24h22v7H8zM8 34h22v7H8zM8 44h22v7H8zM25 27l1 1 2-3M25 37l1 1 2-3" />
        </g>
      </g>
    </Sheet>
  );
}
