import { at, type Corner, onPlane, type Plane } from '../projection.ts';
import { Box } from './boxes.tsx';

/** A spreadsheet on a large screen that faces the lower left; `from` is its lower far corner. */
export function SheetMonitor({ from: [x, y, z] }: { from: Corner }) {
  return (
    <>
      <Box from={[x, y, z]} size={[6.5, 0.4, 4.25]} />
      <g transform={onPlane('left', at(x, y + 0.4, z + 4.25))}>
        <path className="d-p" d="M5 5h94v58H5z" />
        <path className="d-k" d="M5 5h94v5H5zM42 24h27v10H42zM14 54h28v9H14z" />
        <path
          className="d-f"
          d="M5 24h94M5 34h94M5 44h94M5 54h94M14 14v49M42 14v49M69 14v49M18 19h18m10 0h14M18 29h18m38 0h18M18 39h18M18 49h18"
        />
      </g>
    </>
  );
}

/** An untidy pile of paper, `layers` sheets high. */
export function Papers({ from: [x, y, z], layers }: { from: Corner; layers: number }) {
  return Array.from({ length: layers }, (_, i) => {
    const [dx, dy, dz] = [((i * 3) % 4) * 0.1, ((i * 2) % 3) * 0.12, i * 0.25];
    // biome-ignore lint/suspicious/noArrayIndexKey: drawn once, never updated
    return <Box key={i} from={[x + dx, y + dy, z + dz]} size={[1.6, 1.2, 0.25]} />;
  });
}

/** A phone lying flat: 12 by 22. */
export function Phone({ from }: { from: Corner }) {
  return (
    <g transform={onPlane('floor', at(...from))}>
      <rect className="d-k" width="12" height="22" rx="2" />
      <path className="d-p" d="M2 3h8v13H2z" />
    </g>
  );
}

/** A clipboard with a short list: 24 by 32 on its plane. `ticks` is how many lines are done. */
export function Clipboard({ from, on = 'floor', ticks = 2 }: { from: Corner; on?: Plane; ticks?: number }) {
  return (
    <g transform={onPlane(on, at(...from))}>
      <rect className="d-r" width="24" height="34" rx="2" />
      <path className="d-p" d="M2.5 5h19v26h-19z" />
      <path className="d-k" d="M8 1h8v6H8z" />
      <path
        className="d-f"
        d={`M5 10${[1, 2, 3, 4].map((row) => (row > ticks ? 'm6 0h8' : 'l2 2 3-4m2 2h7')).join('m-14 6')}`}
      />
    </g>
  );
}
