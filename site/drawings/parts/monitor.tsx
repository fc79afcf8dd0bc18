import { at, type Corner, onPlane } from '../projection.ts';
import { Box } from './box.tsx';

/** A spreadsheet on a large screen that faces the lower left; `from` is its lower far corner. */
export function SheetMonitor({ from: [x, y, z] }: { from: Corner }) {
  return (
    <>
      <Box from={[x, y, z]} size={[6.5, 0.4, 4.25]} />
      <g transform={onPlane('left', at(x, y + 0.4, z + 4.25))}>
        <path className="d-p" d="M3 3h98v62H3z" />
        <path className="d-k" d="M3 3h98v7H3zM44 28h24v7H44zM74 19h12v4H74zM10 59h18v6H10z" />
        <path
          className="d-f"
          d="M3 17h98M3 26h98M3 35h98M3 44h98M3 53h98M10 10v49M40 10v49M70 10v49M14 21h18m12 0h14M14 30h18M14 39h18m38 0h18M14 48h18"
        />
      </g>
    </>
  );
}
