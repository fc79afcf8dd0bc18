import { navigation } from '../content/navigation.ts';
import styles from './ThumbBar.module.css';

/** The call to action at the bottom of small screens, between the hero and the form. */
export function ThumbBar() {
  return (
    <p className={styles.track}>
      <a className={`button-signal ${styles.bar}`} href={`#${navigation.callToAction.id}`}>
        {navigation.callToAction.label}
      </a>
    </p>
  );
}
