import { at, type Corner, onPlane } from '../projection.ts';
import { Box } from './box.tsx';

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
