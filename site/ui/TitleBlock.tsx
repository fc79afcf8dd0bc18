import type { ReactNode } from 'react';
import styles from './TitleBlock.first.module.css';

type Row = readonly [label: string, value: ReactNode];

/** The table in the corner of a drawing. Each row is a label and a value. */
export function TitleBlock({
  rows,
  className = '',
}: {
  rows: readonly Row[];
  className?: string | undefined;
}) {
  return (
    <dl className={`${styles.block} ${className}`.trim()}>
      {rows.map(([term, value]) => (
        <div key={term}>
          <dt>{term}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
