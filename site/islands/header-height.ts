/** With larger text or spacing of her own, the header may be taller than the styles assume. */
export function measureHeader() {
  const root = document.documentElement;
  const bar = document.querySelector('header > div');
  if (!bar) return;
  const covered = () => Number.parseFloat(getComputedStyle(root).scrollPaddingTop);
  new ResizeObserver(() => {
    const target = document.querySelector(':target');
    const isAtTarget = Math.abs((target?.getBoundingClientRect().top ?? 0) - covered()) < 2;
    const { height } = bar.getBoundingClientRect();
    // Only then, since everything is styled again.
    if (height > Number.parseFloat(getComputedStyle(bar).minHeight) + 1)
      root.style.setProperty('--header-measured', `${height}px`);
    else root.style.removeProperty('--header-measured');
    if (isAtTarget) target?.scrollIntoView({ behavior: 'instant' });
  }).observe(bar);
}
