import type { ReactNode } from 'react';
import type { IslandName } from '../islands/islands.ts';
import styles from './Island.first.module.css';

type IslandProps = { name: IslandName; children?: ReactNode };

/** A part of the page that a script adds to; see site/islands/islands.ts. */
export function Island({ name, children }: IslandProps) {
  return (
    <div className={styles.place} data-island={name}>
      {children}
    </div>
  );
}
