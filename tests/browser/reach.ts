/** Runs in the page: scrolls until the questions before the form take over, and looks at what's in the window. */
export async function faultsOfReach(): Promise<string[]> {
  const [header, hero, bar, questions] = [
    'header',
    '#hero-banner .button-signal',
    'main > p > a',
    '[aria-labelledby="questions-heading"]',
  ].map((selector) => {
    const found = document.querySelector(selector);
    if (!found) throw new Error(`nothing is ${selector}`);
    return () => found.getBoundingClientRect();
  }) as [() => DOMRect, () => DOMRect, () => DOMRect, () => DOMRect];
  const faults: string[] = [];
  for (let y = 0; ; y += y < innerHeight ? 16 : 200) {
    scrollTo({ top: y, behavior: 'instant' });
    await new Promise(requestAnimationFrame);
    if (questions().top <= innerHeight / 2) break;
    const top = Math.max(0, header().bottom);
    /** As part of what a thumb needs */
    const shown = (box: DOMRect) =>
      Math.min(Math.max(0, Math.min(box.bottom, innerHeight) - Math.max(box.top, top)), 44) / 44;
    const both = shown(hero()) + shown(bar());
    // While one leaves, the other comes.
    if (both < 0.7) faults.push(`at ${y} there is none`);
    if (both > 1.3) faults.push(`at ${y} there are two`);
    if (bar().bottom > questions().top + 1) faults.push(`at ${y} the bar covers a question`);
  }
  return faults;
}
