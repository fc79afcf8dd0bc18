/** Runs in the page: what sticks out of the window, or of the form, which would cut it off. */
export function stickingOut(): string[] {
  const faults: string[] = [];
  const form = document.querySelector('form');
  for (const part of document.querySelectorAll('form, form *, [role="alert"], [data-island="toasts"] *')) {
    if (!part.checkVisibility() || part.closest('svg, [aria-hidden="true"], .visually-hidden')) continue;
    const { left, right } = part.getBoundingClientRect();
    const edge = (form?.contains(part) && form.getBoundingClientRect()) || { left: 0, right: innerWidth };
    if (left < edge.left - 2 || right > edge.right + 2)
      faults.push(`${part.tagName} ${part.id}, from ${left} to ${right}`);
  }
  const { scrollWidth } = document.documentElement;
  if (scrollWidth > innerWidth) faults.push(`the page is ${scrollWidth} px wide`);
  return faults;
}
