import { Blocks, FileCheck, LayoutDashboard, type LucideIcon, TrendingUp, Waypoints } from 'lucide-react';
import { solution } from '../content/solution.ts';
import styles from './Solution.module.css';

const icons: LucideIcon[] = [Waypoints, Blocks, FileCheck, LayoutDashboard, TrendingUp];

export function Solution() {
  return (
    <section className={styles.solution} aria-labelledby="solution-heading">
      <div className={`sheet ${styles.inner}`}>
        <header>
          <h2 id="solution-heading">{solution.heading}</h2>
          <p className="lead">{solution.lead}</p>
        </header>
        <div className={styles.list}>
          <p className={styles.columns} aria-hidden="true">
            {solution.columns.map((column) => (
              <span key={column}>{column}</span>
            ))}
          </p>
          <ol>
            {solution.items.map(({ title, text }, index) => {
              const Icon = icons[index % icons.length] ?? Waypoints;
              return (
                <li key={title}>
                  <Icon size={28} strokeWidth={1.25} aria-hidden="true" />
                  <h3>{title}</h3>
                  <p>{text}</p>
                </li>
              );
            })}
          </ol>
        </div>
      </div>
    </section>
  );
}
