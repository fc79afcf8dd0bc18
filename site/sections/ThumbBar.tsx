import { navigation } from '../content/navigation.ts';
import { problems } from '../content/problems.ts';
import styles from './ThumbBar.module.css';

/** The call to action at the bottom of small screens, between the hero and the form, with the number of problems ticked. */
export function ThumbBar() {
  return (
    <p className={styles.track}>
      <a className={`button-signal ${styles.thumb}`} href={`#${navigation.callToAction.id}`}>
        <span className="unticked">{navigation.callToAction.label}</span>
        <span className="count ticked">{problems.next}</span>
      </a>
    </p>
  );
}
