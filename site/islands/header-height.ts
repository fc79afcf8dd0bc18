/** With larger text or spacing of her own, the header may be taller than the styles assume. */
export function measureHeader() {
  const { style } = document.documentElement;
  const bar = document.querySelector('header > div');
  if (!bar) return;
  new ResizeObserver(() => {
    const { height } = bar.getBoundingClientRect();
    style.removeProperty('--header-measured');
    if (height < Number.parseFloat(getComputedStyle(bar).minHeight) + 1) return;
    style.setProperty('--header-measured', `${height}px`);
    // The one that the address names may be behind it by now.
    const target = document.querySelector(':target');
    const top = target?.getBoundingClientRect().top ?? 0;
    if (top > 0 && top < height) target?.scrollIntoView({ behavior: 'instant' });
  }).observe(bar);
}
