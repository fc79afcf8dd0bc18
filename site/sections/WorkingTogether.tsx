import { workingTogether as content } from '../content/working-together.ts';
import { Drawing } from '../ui/Drawing.tsx';
import { filled } from '../ui/words.ts';
import styles from './WorkingTogether.module.css';

const workingTogether = filled(content);

export function WorkingTogether() {
  return (
    <section id="work-together" className={styles.together} aria-labelledby="together-heading" tabIndex={-1}>
      <div className="sheet">
        <h2 id="together-heading">{workingTogether.heading}</h2>
        <ol className={styles.line}>
          {workingTogether.steps.map(({ drawing, title, text }) => (
            <li key={drawing}>
              <Drawing name={`station-${drawing}`} className={styles.drawing} />
              <h3>{title}</h3>
              <p>{text}</p>
            </li>
          ))}
        </ol>
      </div>
    </section>
  );
}
