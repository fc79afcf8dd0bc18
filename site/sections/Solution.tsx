import { solution as content } from '../content/solution.ts';
import { bullets, filled } from '../ui/words.ts';
import styles from './Solution.module.css';

const solution = filled(content);

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
            {solution.items.map(({ title, text }) => (
              <li key={title}>
                <h3>{title}</h3>
                <p>{text}</p>
              </li>
            ))}
          </ol>
        </div>
      </div>
    </section>
  );
}

Solution.markdown = [
  `## ${solution.heading}`,
  bullets(solution.items.map(({ title, text }) => `${title}: ${text}`)),
];
