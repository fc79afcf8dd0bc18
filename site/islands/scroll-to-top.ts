import { onScrolledPast } from './header.ts';

export function startScrollToTop(place: HTMLElement): void {
  const [half, link] = place.children;
  if (!half || !(link instanceof HTMLElement)) return;
  onScrolledPast(half, (past) => {
    link.dataset.shown = String(past);
  });
  link.addEventListener('click', (event) => {
    event.preventDefault();
    window.scrollTo({ top: 0 });
    // The link is about to hide, and would lose the focus.
    document.querySelector<HTMLElement>('header a[href]')?.focus({ preventScroll: true });
  });
}
