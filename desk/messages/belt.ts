import { html } from 'hono/html';
import { MINUTE } from '../../contract/time.ts';
import { answerDueAt, type Message } from '../../server/messages/table.ts';
import { span } from '../../server/messages/time.ts';
import type { Frame } from '../sheet/frame.ts';

/** In the drawing's units, about a pixel of a phone: where the belt ends, and a parcel's width and height. */
const END = 296;
const [WIDTH, HEIGHT] = [22, 17];
const TOP = 52;
const FLOOR = 80;
/** More on top of each other would leave the sheet. */
const HIGHEST = { belt: 3, floor: 4 };

type Parcel = { x: number; y: number; isLate: boolean };

/** One for each who waits, as far along as their time is up. Those that are late have fallen off, and are orange. */
function parcelsOf(waiting: readonly Message[], { now }: Frame): Parcel[] {
  const piles = new Map<number, number>();
  return waiting.flatMap((message) => {
    const dueAt = answerDueAt(message);
    if (dueAt === null) return [];
    const isLate = dueAt <= now;
    const gone = Math.max((now - message.received_at) / (dueAt - message.received_at), 0);
    const column = isLate ? -1 - (piles.size % 2) : Math.floor((gone * (END - WIDTH)) / WIDTH);
    const below = piles.get(column) ?? 0;
    if (below === (isLate ? HIGHEST.floor : HIGHEST.belt)) return [];
    piles.set(column, below + 1);
    const x = isLate ? END + 10 + (column === -1 ? 0 : WIDTH + 2) : column * (WIDTH + 0.5);
    return [{ x, y: (isLate ? FLOOR : TOP) - HEIGHT * (below + 1), isLate }];
  });
}

const rollers = Array.from({ length: 14 }, (_, turn) => `M${12 + turn * 21} ${TOP + 7}a4 4 0 1 0 .1 0z`);

/** Who waits, on a belt as long as the promised time. The list beside it says the same. */
export function belt(waiting: readonly Message[], frame: Frame) {
  const parcels = parcelsOf(waiting, frame);
  const top = Math.min(TOP, ...parcels.map(({ y }) => y)) - 2;
  return html`<svg class="belt" viewBox="-3 ${top} 364 ${106 - top}" aria-hidden="true">
<path class="floor" d="M0 ${FLOOR}H360" />
<path d="M14 ${TOP + 16}V${FLOOR}M${END - 14} ${TOP + 16}V${FLOOR}" />
<path class="face" d="M6 ${TOP}H${END - 6}a8 8 0 0 1 0 16H6a8 8 0 0 1 0-16z" />
<path d="${rollers.join('')}" />
${parcels.map(
  ({ x, y, isLate }) =>
    html`<path class="${isLate ? 'parcel hot' : 'parcel'}" d="M${x} ${y}h${WIDTH}v${HEIGHT}h-${WIDTH}zM${x + WIDTH / 2} ${y}v6" />`,
)}
<path d="M.5 90v14M${END} 90v14M.5 97H${END}" />
<text x="${END / 2}" y="101" text-anchor="middle">promised time</text>
</svg>`;
}

/** How much of the promised time is gone, as a dimension line, and in words: `5 h left`, `3 h over`. */
export function timeLeft(message: Message, { now }: Frame) {
  const dueAt = answerDueAt(message);
  if (dueAt === null) return undefined;
  const gone = Math.min(Math.max((now - message.received_at) / (dueAt - message.received_at), 0), 1);
  const left = dueAt - now;
  return html`<span class="${left > 0 ? 'time-left' : 'time-left hot'}"><svg viewBox="0 0 96 12" aria-hidden="true">
<path d="M1 1v10M95 1v10M1 6h94" /><path stroke-width="5" d="M1 6h${94 * gone}" /></svg>${span(Math.max(Math.abs(left), MINUTE))} ${left > 0 ? 'left' : 'over'}</span>`;
}
