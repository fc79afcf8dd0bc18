import type { ReactNode } from 'react';

/** The drawings stretch, so all words stand beside them. */
export function Figure({ title, words, children }: { title: string; words: string; children: ReactNode }) {
  return (
    <figure>
      <figcaption>
        <h2>{title}</h2>
        <p>{words}</p>
      </figcaption>
      {children}
    </figure>
  );
}

const PER_ROW = 20;

/** A square for each. */
export function Squares({ number, filled }: { number: number; filled: number }) {
  const box = `0 0 ${PER_ROW * 10} ${Math.ceil(number / PER_ROW) * 10}`;
  const all = Array.from({ length: number }, (_, index) => index);
  const draw = (some: number[]) =>
    some.map((at) => `M${(at % PER_ROW) * 10 + 1} ${Math.floor(at / PER_ROW) * 10 + 1}h8v8h-8z`).join('');
  return (
    <svg className="plot squares" viewBox={box} aria-hidden={true}>
      <path d={draw(all.slice(0, filled))} />
      <path className="is-hollow" d={draw(all.slice(filled))} />
    </svg>
  );
}

/** A bar for each day. */
export function DayBars({ days, values }: { days: string[]; values: number[] }) {
  const most = Math.max(...values, 1);
  const box = `0 0 ${days.length * 10} 100`;
  return (
    <>
      <svg className="plot days" viewBox={box} preserveAspectRatio="none" aria-hidden={true}>
        {values.map((value, index) => (
          <g key={days[index]}>
            <title>{`${days[index]}: ${value.toLocaleString('en')}`}</title>
            <path className="day" d={`M${index * 10} 0h10v100h-10z`} />
            <path d={`M${index * 10 + 1.5} 100h7v${(-100 * value) / most}h-7z`} />
          </g>
        ))}
      </svg>
      <p className="apart">
        <span>{days.length - 1} days ago</span> <span>today</span>
      </p>
    </>
  );
}
