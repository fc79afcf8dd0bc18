import { workingTogether } from '../content/working-together.ts';
import { Drawing, Heading, Part } from '../ui/elements.tsx';
import styles from './WorkingTogether.module.css';

export function WorkingTogether() {
  return (
    <Part id="work-together" name="together" className={styles.work}>
      <div className="sheet">
        <Heading id="together-heading">{workingTogether.heading}</Heading>
        <div className={styles.line}>
          <Drawing name="stations-down" />
          <Drawing name="stations-across" />
          <ol>
            {workingTogether.steps.map(({ drawing, title, text }) => (
              <li key={drawing}>
                <h3>{title}</h3>
                <p>{text}</p>
              </li>
            ))}
          </ol>
          <p className={styles.end}>{workingTogether.end}</p>
        </div>
      </div>
    </Part>
  );
}
