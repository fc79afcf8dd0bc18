import { Fragment } from 'react';
import { problems } from '../content/problems.ts';
import { Drawing } from '../ui/Drawing.tsx';
import styles from './Problems.module.css';

/** Lets a line end after a slash, and nowhere else in such a word. */
function breakable(title: string) {
  return title.split('/').map((part, index) => (
    <Fragment key={part}>
      {index > 0 && '/'}
      {index > 0 && <wbr />}
      {part}
    </Fragment>
  ));
}

export function Problems() {
  return (
    <section className={`sheet ${styles.problems}`} aria-labelledby="problems-heading">
      <header className={styles.opening}>
        <h2 id="problems-heading">{problems.heading}</h2>
        <p className="lead">{problems.lead}</p>
      </header>
      <ol className={styles.details}>
        {problems.items.map(({ drawing, title, text }) => (
          <li key={drawing}>
            <Drawing name={`detail-${drawing}`} className={styles.bubble} />
            <h3>{breakable(title)}</h3>
            <p>{text}</p>
          </li>
        ))}
      </ol>
    </section>
  );
}
