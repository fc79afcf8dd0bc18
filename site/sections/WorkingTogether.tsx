import { workingTogether as content } from '../content/working-together.ts';
import { useAssets } from '../ui/assets.ts';
import { Drawing } from '../ui/Drawing.tsx';
import { filled } from '../ui/words.ts';
import styles from './WorkingTogether.module.css';

const workingTogether = filled(content);

export function WorkingTogether() {
  const { drawings } = useAssets();
  return (
    <section id="work-together" className={styles.together} aria-labelledby="together-heading" tabIndex={-1}>
      <div className="sheet">
        <h2 id="together-heading">{workingTogether.heading}</h2>
        <div className={styles.line}>
          <picture>
            <source media="(width < 64rem)" srcSet={drawings['stations-down'].src} />
            <Drawing name="stations-across" />
          </picture>
          <ol>
            {workingTogether.steps.map(({ drawing, title, text }) => (
              <li key={drawing}>
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
