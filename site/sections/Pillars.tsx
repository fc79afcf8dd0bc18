import { pillars } from '../content/pillars.ts';
import { Drawing, Heading, Part } from '../ui/elements.tsx';
import styles from './Pillars.module.css';

export function Pillars() {
  return (
    <Part id="service-pillars" name="pillars" className={styles.pillars}>
      <div className="sheet">
        <Heading id="pillars-heading">{pillars.heading}</Heading>
      </div>
      <div className={styles.floor}>
        <ul className="sheet">
          {pillars.items.map(({ drawing, title, text }) => (
            <li key={drawing}>
              <Drawing name={`pillar-${drawing}`} />
              <h3>{title}</h3>
              <p>{text}</p>
            </li>
          ))}
        </ul>
      </div>
    </Part>
  );
}
