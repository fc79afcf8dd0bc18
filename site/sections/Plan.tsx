import { problems } from '../content/problems.ts';
import { Drawing } from '../ui/elements.tsx';
import styles from './Plan.module.css';

/** The visitor's shop. What they ticked lights up on it; the words beside it say so, too. */
export function Plan() {
  return (
    <div className={styles.plan} aria-hidden="true">
      <Drawing name="key-plan" />
      <Spots />
    </div>
  );
}

/** A number for each problem. Those that are marked show it; see Plan.module.css. */
export function Spots() {
  return (
    <p className={styles.spots} data-marks="">
      {problems.items.map(({ drawing }, at) => (
        <b key={drawing} className={styles.spot}>
          {at + 1}
        </b>
      ))}
    </p>
  );
}
