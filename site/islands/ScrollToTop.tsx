import { type MouseEvent, useRef } from 'react';
import { scrollToTop } from '../content/scroll-to-top.ts';
import styles from './ScrollToTop.module.css';
import { useScrolledPast } from './use-scrolled-past.ts';

/** Every browser knows `#top`, so this works without React. */
export function ScrollToTop() {
  const half = useRef<HTMLDivElement>(null);
  const shown = useScrolledPast(half);

  function goToTop(event: MouseEvent) {
    event.preventDefault();
    window.scrollTo({ top: 0 });
    // The link is about to hide, and would lose the focus.
    document.querySelector<HTMLElement>('header a[href]')?.focus({ preventScroll: true });
  }

  return (
    <>
      <div ref={half} className={styles.half} aria-hidden="true" />
      {/* biome-ignore lint/a11y/useValidAnchor: it's a real link without scripts */}
      <a className={`button ${styles.button}`} href="#top" data-shown={shown} onClick={goToTop}>
        <span className="visually-hidden">{scrollToTop.label}</span>
        <svg viewBox="0 0 24 24" aria-hidden="true">
          <path d="M5 4h14M12 21V9M6 14l6-6 6 6" />
        </svg>
      </a>
    </>
  );
}
