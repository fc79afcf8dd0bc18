import { scrollToTop } from '../content/navigation.ts';
import styles from './ScrollToTop.module.css';

/** Every browser knows `#top`, so this works by itself; site/islands/navigation.ts adds where the focus goes. */
export function ScrollToTop() {
  return (
    <>
      <div className={styles.half} />
      <a className={`button ${styles.up}`} href="#top">
        <span className="visually-hidden">{scrollToTop.label}</span>
        <svg viewBox="0 0 24 24" aria-hidden="true">
          <path d="M5 4h14M12 21V9M6 14l6-6 6 6" />
        </svg>
      </a>
    </>
  );
}
