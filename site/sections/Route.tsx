import styles from './Route.module.css';

/** One order's route down the page, from the first drawing into the form. */
export function Route() {
  return (
    <p className={styles.route} aria-hidden="true">
      <i />
    </p>
  );
}
