import type { ReactNode } from 'react';
import styles from './TitleBlock.first.module.css';

/** The table in the corner of a drawing. Each row is a label and a value. */
export function TitleBlock({
  rows,
  className,
}: {
  rows: readonly (readonly [label: string, value: ReactNode])[];
  className?: string | undefined;
}) {
  return (
    <dl className={className ? `${styles.block} ${className}` : styles.block}>
      {rows.map(([term, value]) => (
        <div key={term}>
          <dt>{term}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
