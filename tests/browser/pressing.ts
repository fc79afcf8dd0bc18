import type { Size } from './visitor.ts';

export const WINDOWS: Size[] = [
  { width: 280, height: 653 },
  { width: 390, height: 664 },
  { width: 844, height: 390 },
  { width: 1024, height: 768 },
  { width: 1080, height: 540 },
  { width: 1440, height: 900 },
];

/**
 * Runs in the page: looks at all of it, window by window, and at the open menu. Says which links, buttons and fields in view
 * don't answer a click everywhere, or have a drawing run over them. What keeps to the window, such as the header, is the
 * window's edge for all else.
 */
export async function faultsOfPressing(): Promise<string[]> {
  const STEP = 12;
  const faults = new Set<string>();
  /** Once all of it has answered, only another state of header or menu could change that. */
  const alive = new Set<HTMLElement>();
  const header = document.querySelector('header');
  const toggle = header?.querySelector<HTMLElement>('button[aria-controls]');

  // Not in its own element, which the page's policy refuses. Only what's drawn of a drawing counts.
  document.styleSheets[0]?.insertRule('svg * { pointer-events: visiblePainted !important }');
  const bottom = () => document.documentElement.scrollHeight - innerHeight;
  for (let y = 0; ; y += innerHeight * 0.7) {
    scrollTo({ top: y, behavior: 'instant' });
    await settled();
    look(`at ${Math.round(scrollY)}`);
    if (y === 0 || scrollY >= bottom() - 1) await lookAtMenu();
    if (y === 0) alive.clear();
    if (scrollY >= bottom() - 1) break;
  }
  document.styleSheets[0]?.deleteRule(0);
  return [...faults];

  async function lookAtMenu(): Promise<void> {
    if (!toggle?.checkVisibility()) return;
    toggle.click();
    await settled();
    alive.clear();
    look('with the menu open');
    toggle.click();
    await settled();
  }

  async function settled(): Promise<void> {
    for (let i = 0; i < 2; i += 1) await new Promise(requestAnimationFrame);
    const moving = document.getAnimations().filter((one) => one instanceof CSSTransition);
    await Promise.allSettled(moving.map(({ finished }) => finished));
  }

  function look(where: string): void {
    const controls = document.querySelectorAll<HTMLElement>(
      'a[href], button, input, textarea, summary, label',
    );
    for (const control of controls) {
      if (alive.has(control) || control.closest('[aria-hidden="true"]')) continue;
      if (!control.checkVisibility({ opacityProperty: true, visibilityProperty: true })) continue;
      const { isWhole, all } = points(control);
      const answers = all.map((point) => answer(control, point));
      const [first, ...more] = all.filter((_, at) => answers[at] === 'dead');
      if (!first) {
        if (isWhole && !answers.includes('behind')) alive.add(control);
        continue;
      }
      const cover = document.elementFromPoint(...first);
      const name = (element: Element | null) =>
        `${element?.tagName.toLowerCase()} “${(element?.getAttribute('aria-label') ?? element?.textContent)?.trim().slice(0, 30)}”`;
      faults.add(
        `${where}: ${name(control)} is dead at ${first.map(Math.round)}, and at ${more.length} points more: ${name(cover)}`,
      );
    }
  }

  function answer(control: HTMLElement, [x, y]: [number, number]): 'alive' | 'behind' | 'dead' {
    const hit = document.elementFromPoint(x, y);
    if (!hit) return 'dead';
    const label = hit.closest('label');
    if (control.contains(hit) || label?.control === control || label?.contains(control)) return 'alive';
    const isBehind = hit.closest('#mobile-menu')
      ? !control.closest('header')
      : keepsToWindow(hit) && !keepsToWindow(control);
    return isBehind ? 'behind' : 'dead';
  }

  /** Now: what's sticky may be scrolling off. */
  function keepsToWindow(element: Element): boolean {
    for (let at: Element | null = element; at; at = at.parentElement) {
      const { position, bottom, top } = getComputedStyle(at);
      if (position === 'fixed') return true;
      const box = at.getBoundingClientRect();
      if (position === 'sticky')
        return bottom === '0px'
          ? Math.abs(box.bottom - innerHeight) < 1
          : Math.abs(box.top - Number.parseFloat(top)) < 1;
    }
    return false;
  }

  /** A grid over what's in the window and not cut off by what it lies in. */
  function points(control: HTMLElement): { all: [number, number][]; isWhole: boolean } {
    const all: [number, number][] = [];
    let isWhole = true;
    const { borderRadius, display } = getComputedStyle(control);
    // A line of text may end in a space, which isn't the link's.
    const edge = display === 'inline' ? 5 : 1 + Math.min(Number.parseFloat(borderRadius), 12);
    for (const box of control.getClientRects()) {
      let { left, top, right, bottom } = box;
      const cut = (by: { left: number; top: number; right: number; bottom: number }) => {
        left = Math.max(left, by.left);
        top = Math.max(top, by.top);
        right = Math.min(right, by.right);
        bottom = Math.min(bottom, by.bottom);
      };
      cut({ left: 0, top: 0, right: innerWidth, bottom: innerHeight });
      for (let at = control.parentElement; at && at !== document.body; at = at.parentElement) {
        const { overflow, position } = getComputedStyle(at);
        if (overflow !== 'visible') cut(at.getBoundingClientRect());
        if (position === 'fixed') break;
      }
      isWhole &&= top === box.top && bottom === box.bottom;
      for (let y = top + edge; y <= bottom - edge; y += STEP)
        for (let x = left + edge; x <= right - edge; x += STEP) all.push([x, y]);
    }
    return { all, isWhole };
  }
}
