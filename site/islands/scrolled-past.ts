/**
 * Tells whether the page is scrolled past an element at its top, now and whenever it changes. Unlike a scroll handler,
 * an observer needs no layout. It counts an element that touches the edge as visible, which makes thresholds exact.
 */
export function onScrolledPast(mark: Element, tell: (past: boolean) => void): void {
  new IntersectionObserver((entries) => {
    const latest = entries[entries.length - 1];
    if (latest) tell(!latest.isIntersecting);
  }).observe(mark);
}
