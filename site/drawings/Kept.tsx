import type { ComponentProps } from 'react';
import { promises } from '../content/promises.ts';
import { Sheet } from './parts/sheet.tsx';

const { columns, parts, counts, app, jobs, sheet } = promises.example;

/** For each part: how many are there, at how few it's reordered, and how many then. */
const STOCK = [
  [38, 40, 20],
  [112, 30, 0],
  [9, 12, 24],
  [64, 25, 0],
] as const;
const COUNTS = [14, 2, 0];

/** Across: the rows' numbers, then each column's right end. */
const [FIRST, ...ENDS] = [20, 116, 210, 264, 330];
/** Down: the columns' letters, the title, the headings, then a row for each part. */
const [LETTERS, TITLE, HEADINGS, ROW] = [16, 28, 26, 26];
const TABLE = LETTERS + TITLE + HEADINGS;
const BELOW = TABLE + ROW * parts.length;
const FOOT = BELOW + 66;
const LABEL = 'var(--label)';
/** From a cell's edge to its words. */
const INSET = 8;

/** A sheet that says what to reorder, and the phone of whoever is out for it, both legible. */
export function Kept() {
  const rules = [LETTERS, LETTERS + TITLE, ...[0, 1, 2, 3, 4].map((row) => TABLE + ROW * row)];
  return (
    <Sheet view={[0, 0, 404, 336]}>
      {/* It's shown larger than others, with the same pen. */}
      <g fontFamily="Arial, Helvetica, sans-serif" strokeWidth={1}>
        <path fill="var(--rule)" stroke="none" d={`M6 6h330v${FOOT}H6z`} />
        <path className="d-p" d={`M1 1h330v${FOOT - 1}H1z`} />
        <path className="d-l" d={`M1 1h330v${LETTERS}H${FIRST}V${FOOT}H1z`} />
        <path className="d-r" d={`M${FIRST} ${LETTERS}h${331 - FIRST}v${TITLE}H${FIRST}z`} />
        <Cell x={FIRST + INSET} y={LETTERS + 20} bold>
          {sheet}
        </Cell>
        {STOCK.map(([stock, least], row) => (
          <Bar key={stock} stock={stock} least={least} y={TABLE + ROW * row} />
        ))}
        <path
          className="d-f"
          d={`${rules.map((y) => `M1 ${y}h330`).join('')}${ENDS.slice(0, 3)
            .map((x) => `M${x} 1v${LETTERS}m0 ${TITLE}V${BELOW}`)
            .join('')}M${ENDS[0]} ${BELOW}v${FOOT - BELOW}M${ENDS[1]} ${BELOW}v${FOOT - BELOW}`}
        />
        {[1, 2, 3, 4, 5, 6, 7].map((row) => (
          <Cell key={row} x={7} y={TABLE + ROW * (row - 2) - 8} label>
            {row}
          </Cell>
        ))}
        {columns.map((column, at) => (
          <g key={column}>
            <Cell x={((ENDS[at - 1] ?? FIRST) + (ENDS[at] ?? 0)) / 2} y={12} textAnchor="middle" label>
              {'ABCD'.charAt(at)}
            </Cell>
            <Entry at={at} y={TABLE - 7} label>
              {column}
            </Entry>
          </g>
        ))}
        {parts.map((part, row) => (
          <Row key={part} part={part} row={row} />
        ))}
        {counts.map((count, at) => (
          <g key={count}>
            <Cell x={(ENDS[at - 1] ?? FIRST) + INSET} y={BELOW + 34} size={28} bold>
              {COUNTS[at]}
            </Cell>
            <Cell x={(ENDS[at - 1] ?? FIRST) + INSET} y={BELOW + 53} room={at === 2 ? 48 : 80} label>
              {count}
            </Cell>
          </g>
        ))}
        <Phone />
      </g>
    </Sheet>
  );
}

/** How much is there, and the least there may be. Only what's short is orange; what's on order isn't. */
function Bar({ stock, least, y }: { stock: number; least: number; y: number }) {
  const [from, scale] = [ENDS[0] ?? 0, 0.5];
  const isLow = stock < least;
  return (
    <>
      {isLow && <path className="d-k" d={`M${ENDS[2]} ${y}H331v${ROW}H${ENDS[2]}z`} />}
      <path
        fill={isLow ? 'var(--signal)' : 'var(--rule)'}
        stroke="none"
        d={`M${from} ${y + 4}h${stock * scale}v${ROW - 8}H${from}z`}
      />
      <path d={`M${from + least * scale} ${y + 2}v${ROW - 4}`} />
    </>
  );
}

function Row({ part, row }: { part: string; row: number }) {
  const [stock, least, order] = STOCK[row] ?? [0, 0, 0];
  const y = TABLE + ROW * row + 18;
  return (
    <>
      <Entry at={0} y={y}>
        {part}
      </Entry>
      <Entry at={1} y={y}>
        {stock}
      </Entry>
      <Entry at={2} y={y}>
        {least}
      </Entry>
      <Entry at={3} y={y} bold fill={order ? 'var(--sheet)' : 'var(--ink)'}>
        {order || '–'}
      </Entry>
    </>
  );
}

function Phone() {
  return (
    <g transform="translate(290 178)">
      <rect x="5" y="5" width="108" height="152" rx="14" fill="var(--rule)" stroke="none" />
      <rect className="d-r" width="108" height="152" rx="14" />
      <path className="d-k" d="M40 7h28v3H40z" />
      <path className="d-p" d="M5 17h98v120H5z" />
      <path className="d-k" d="M5 17h98v27H5z" />
      <Cell x={12} y={35} room={84} bold fill="var(--sheet)">
        {app}
      </Cell>
      {jobs.map((job, at) => (
        <g key={job} transform={`translate(0 ${44 + 31 * at})`}>
          <path className="d-f" d="M5 31h98" />
          <path d={`M12 9h13v13H12z${at === 0 ? 'm3 7 3 3 5-7' : ''}`} />
          <Cell x={31} y={20} room={69} fill={at === 0 ? LABEL : 'var(--ink)'}>
            {job}
          </Cell>
        </g>
      ))}
    </g>
  );
}

type CellProps = ComponentProps<'text'> & {
  size?: number;
  /** Longer words are drawn smaller. */
  room?: number;
  bold?: boolean;
  label?: boolean;
};

function Cell({ bold, label, size = label ? 13 : 14.5, room = 330, ...rest }: CellProps) {
  const fontSize = Math.min(size, room / emsOf(String(rest.children)));
  const fill = label ? LABEL : 'var(--ink)';
  return <text {...{ fontSize, fill, fontWeight: bold ? 700 : undefined, stroke: 'none', ...rest }} />;
}

/** In one of the columns: words begin at its left, figures end at its right. */
function Entry({ at, ...rest }: { at: number } & CellProps) {
  const [start, end] = [(ENDS[at - 1] ?? FIRST) + INSET, (ENDS[at] ?? 0) - INSET];
  const place = at === 0 ? { x: start } : ({ x: end, textAnchor: 'end' } as const);
  return <Cell {...place} room={end - start} {...rest} />;
}

/** How wide a text is in Arial, about. */
const emsOf = (text: string) =>
  [...text].reduce((sum, sign) => sum + (EMS.find(([kind]) => kind.test(sign))?.[1] ?? 0.56), 0);
const EMS = [
  [/[mwMW\p{Lo}]/u, 0.9],
  [/\p{Lu}/u, 0.7],
  [/\p{Script=Cyrillic}/u, 0.64],
  [/[fijlrt\s\p{P}]/u, 0.32],
] as const;
