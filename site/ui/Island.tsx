import type { ReactNode } from 'react';
import type { IslandName } from '../islands/hydrate.tsx';
import styles from './Island.first.module.css';

type IslandProps = { name: IslandName; children: ReactNode };

/** A part of the static page that's hydrated on its own; see site/islands/islands.ts. */
export function Island({ name, children }: IslandProps) {
  return (
    <div className={styles.place} data-island={name}>
      {children}
    </div>
  );
}
