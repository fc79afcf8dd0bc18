import { solution } from '../content/solution.ts';
import { Drawing, Heading, whole } from '../ui/elements.tsx';
import { bullets } from '../ui/words.ts';
import styles from './Solution.module.css';

export function Solution() {
  return (
    <section className={styles.solution} aria-labelledby="solution-heading">
      <div className={`sheet ${styles.answer}`}>
        <header>
          <Heading id="solution-heading">{solution.heading}</Heading>
          <p className="lead">{solution.lead}</p>
        </header>
        <Drawing name="system" />
        <ol>
          {solution.items.map(({ title, text }) => (
            <li key={title}>
              <h3>{whole(title)}</h3>
              <p>{text}</p>
            </li>
          ))}
        </ol>
      </div>
    </section>
  );
}

Solution.markdown = [
  `## ${solution.heading}`,
  bullets(solution.items.map(({ title, text }) => `${title}: ${text}`)),
];
