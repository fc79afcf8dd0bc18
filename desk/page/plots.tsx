import { Temporal } from 'temporal-polyfill';
import { summary } from '../stats.ts';

const nameOf = (day: string) =>
  Temporal.PlainDate.from(day).toLocaleString('en-GB', { weekday: 'short', day: 'numeric', month: 'short' });

const PER_ROW = 40;

/** A square for each, those that aren't filled in orange. */
export function Squares({ number, filled }: { number: number; filled: number }) {
  const rows = Math.ceil(number / PER_ROW);
  const draw = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, index) => from + index)
      .map((at) => `M${(at % PER_ROW) * 10 + 1} ${Math.floor(at / PER_ROW) * 10 + 1}h8v8h-8z`)
      .join('');
  return (
    <svg className="squares" viewBox={`0 0 ${PER_ROW * 10} ${rows * 10}`} aria-hidden={true}>
      <path d={draw(0, filled)} />
      <path className="is-late" d={draw(filled, number)} />
    </svg>
  );
}

type DayBarsProps = { title: string; what: string; days: { day: string; value: number }[] };

/** A bar for each day. The drawing stretches, so the words stand beside it. */
export function DayBars({ title, what, days }: DayBarsProps) {
  const values = days.map(({ value }) => value);
  const most = Math.max(...values, 1);
  return (
    <figure>
      <figcaption>
        <h2>{title}</h2>
        <p>{summary(values, what)}</p>
      </figcaption>
      <svg
        viewBox={`0 0 ${days.length * 10} 100`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`${title} on each of the last ${days.length} days`}
      >
        {days.map(({ day, value }, index) => (
          <g key={day}>
            <title>{`${nameOf(day)}: ${value.toLocaleString('en')}`}</title>
            <path className="plot-day" d={`M${index * 10} 0h10v100h-10z`} />
            <path className="plot-bar" d={`M${index * 10 + 1.5} 100h7v${(-100 * value) / most}h-7z`} />
          </g>
        ))}
      </svg>
      <p className="bar apart">
        <span>{nameOf(days[0]?.day ?? '')}</span> <span>today</span>
      </p>
    </figure>
  );
}
