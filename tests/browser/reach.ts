/** Runs in the page: scrolls until the form takes over, and looks at what's in the window. */
export async function faultsOfReach(): Promise<string[]> {
  const [header, hero, bar, contact] = [
    'header',
    '#hero-banner .button-signal',
    'main > p > a',
    '#lets-map-your-blueprint',
  ].map((selector) => {
    const found = document.querySelector(selector);
    if (!found) throw new Error(`nothing is ${selector}`);
    return () => found.getBoundingClientRect();
  }) as [() => DOMRect, () => DOMRect, () => DOMRect, () => DOMRect];
  const faults: string[] = [];
  for (let y = 0; contact().top > innerHeight / 2; y += y < innerHeight ? 16 : 200) {
    scrollTo({ top: y, behavior: 'instant' });
    await new Promise(requestAnimationFrame);
    const top = Math.max(0, header().bottom);
    /** As part of what a thumb needs */
    const shown = (box: DOMRect) =>
      Math.min(Math.max(0, Math.min(box.bottom, innerHeight) - Math.max(box.top, top)), 44) / 44;
    const both = shown(hero()) + shown(bar());
    // While one leaves, the other comes.
    if (both < 0.7) faults.push(`at ${y} there is none`);
    if (both > 1.3) faults.push(`at ${y} there are two`);
    if (bar().bottom > contact().top + 1) faults.push(`at ${y} the bar covers the form`);
  }
  return faults;
}
