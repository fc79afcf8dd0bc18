import { promises } from '../content/promises.ts';
import { Sheet } from './parts/sheet.tsx';

const { columns, parts, counts, app, jobs, sheet } = promises.example;

/** What's there of each part, from how few on it's ordered again, and how many. */
const STOCK = [
  [38, 40, 20],
  [112, 30, 0],
  [9, 12, 24],
  [64, 25, 0],
] as const;
const COUNTS = [14, 2, 0];
/** Each column's right end; the first begins at the left. */
const ENDS = [0, 146, 196, 250];
const ROW = 25;
const [LEFT, TOP] = [12, 58];
const below = TOP + ROW * parts.length;

/** A sheet that says what to order again, and the phone of whoever is out for it, to be read. */
export function Kept() {
  return (
    <Sheet view={[0, 0, 400, 300]}>
      <g fontFamily="Arial, Helvetica, sans-serif" fontSize="13">
        <path className="d-p" d="M1 1h300v238H1z" />
        <path className="d-r" d="M1 1h300v31H1z" />
        <Words at={[LEFT, 21]} bold>
          {sheet}
        </Words>
        <path
          className="d-f"
          d={`M1 ${TOP}h300${parts.map(() => `m-300 ${ROW}h300`).join('')}M101 ${below}v${239 - below}m100 0v${below - 239}`}
        />
        {columns.map((column, at) => (
          <Words key={column} at={[at === 0 ? LEFT : (ENDS[at] ?? 0), TOP - 8]} right={at > 0} label>
            {column}
          </Words>
        ))}
        {parts.map((part, row) => (
          <Row key={part} part={part} row={row} />
        ))}
        {counts.map((count, at) => (
          <g key={count}>
            <Words at={[LEFT + at * 100, below + 34]} large bold>
              {COUNTS[at]}
            </Words>
            <Words at={[LEFT + at * 100, below + 53]} label>
              {count}
            </Words>
          </g>
        ))}
        <rect className="d-t" x="266" y="66" width="133" height="232" rx="16" />
        <path className="d-k" d="M315 76h30v3h-30z" />
        <path className="d-p" d="M270 90h121v186H270z" />
        <path className="d-r" d="M270 90h121v30H270z" />
        <Words at={[280, 110]} bold>
          {app}
        </Words>
        {jobs.map((job, at) => (
          <g key={job}>
            <path className="d-f" d={`M270 ${166 + 46 * at}h121`} />
            <path d={`M280 ${136 + 46 * at}h15v15h-15z${at === 0 ? 'm3 8 4 4 6-9' : ''}`} />
            <Words at={[304, 148 + 46 * at]}>{job}</Words>
          </g>
        ))}
      </g>
    </Sheet>
  );
}

/** In orange if it's time to order. */
function Row({ part, row }: { part: string; row: number }) {
  const [stock, least, order] = STOCK[row] ?? [0, 0, 0];
  const y = TOP + ROW * row;
  const isLow = stock < least;
  return (
    <>
      {isLow && <path className="d-hot d-t" d={`M2 ${y + 1}h298v${ROW - 2}H2z`} stroke="none" />}
      <Words at={[LEFT, y + 17]}>{part}</Words>
      {[stock, least, order || '–'].map((figure, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: drawn once, never updated
        <Words key={at} at={[ENDS[at + 1] ?? 0, y + 17]} right bold={isLow && at === 2}>
          {figure}
        </Words>
      ))}
    </>
  );
}

type WordsProps = {
  at: readonly [x: number, y: number];
  children: string | number | undefined;
  right?: boolean;
  bold?: boolean;
  large?: boolean;
  label?: boolean;
};

function Words({ at: [x, y], children, right, bold, large, label }: WordsProps) {
  return (
    <text
      x={x}
      y={y}
      textAnchor={right ? 'end' : undefined}
      fontWeight={bold ? 700 : undefined}
      fontSize={large ? 26 : label ? 11.5 : undefined}
      fill={label ? 'var(--label)' : 'var(--ink)'}
      stroke="none"
    >
      {children}
    </text>
  );
}
