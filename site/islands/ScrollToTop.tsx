import { type MouseEvent, useRef } from 'react';
import { scrollToTop } from '../content/scroll-to-top.ts';
import styles from './ScrollToTop.module.css';
import { useScrolledPast } from './use-scrolled-past.ts';

/** `#top` is the top of the document for every browser, so this works before React and without it. */
export function ScrollToTop() {
  const half = useRef<HTMLDivElement>(null);
  const shown = useScrolledPast(half);

  function goToTop(event: MouseEvent) {
    event.preventDefault();
    window.scrollTo({ top: 0 });
    // The link is about to hide: hand the focus to what is up there, or a keyboard would be lost.
    document.querySelector<HTMLElement>('header a[href]')?.focus({ preventScroll: true });
  }

  return (
    <>
      <div ref={half} className={styles.half} aria-hidden="true" />
      {/* biome-ignore lint/a11y/useValidAnchor: it does lead somewhere, with or without a script */}
      <a className={styles.button} href="#top" data-shown={shown} onClick={goToTop}>
        <span className="visually-hidden">{scrollToTop.label}</span>
        <svg viewBox="0 0 24 24" aria-hidden="true">
          <path d="M5 4h14M12 21V9M6 14l6-6 6 6" />
        </svg>
      </a>
    </>
  );
}
