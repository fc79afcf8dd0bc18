import type { Size } from './visitor.ts';

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

export const WINDOWS: readonly Size[] = ['280×653', '390×664', '844×390', '1024×768', '1080×540', '1440×900'];

/** Runs in the page: which controls, of the menu too, don't answer a click on all of them, or have a drawing over them. */
export async function faultsOfPressing(): Promise<string[]> {
  const STEP = 12;
  const faults: string[] = [];
  const [sheet] = document.styleSheets;
  // Not in a style element of its own, which the page's policy refuses. Only a drawing's visible parts count.
  sheet?.insertRule('svg * { pointer-events: visiblePainted !important }');
  const toggle = document.querySelector<HTMLElement>('header button[aria-controls]');
  scrollTo({ top: 0, behavior: 'instant' });
  await settled();
  await lookAt('body');
  if (toggle?.checkVisibility()) {
    toggle.click();
    await settled();
    await lookAt('#mobile-menu');
    toggle.click();
    await settled();
  }
  sheet?.deleteRule(0);
  return faults;

  async function settled(): Promise<void> {
    for (let i = 0; i < 2; i += 1) await new Promise(requestAnimationFrame);
    const moving = document.getAnimations().filter((one) => one instanceof CSSTransition);
    await Promise.allSettled(moving.map(({ finished }) => finished));
  }

  async function lookAt(part: string): Promise<void> {
    const controls = ['a[href]', 'button', 'input', 'textarea', 'summary', 'label'];
    for (const control of document.querySelectorAll<HTMLElement>(`${part} :is(${controls})`)) {
      if (control.closest('[aria-hidden="true"]')) continue;
      if (!control.checkVisibility({ opacityProperty: true, visibilityProperty: true })) continue;
      control.scrollIntoView({ block: 'center', behavior: 'instant' });
      await settled();
      const dead = points(control).find(([x, y]) => !answers(control, document.elementFromPoint(x, y)));
      if (dead) faults.push(`${control.outerHTML.slice(0, 80)} is dead at ${dead.map(Math.round)}`);
    }
  }

  function answers(control: HTMLElement, hit: Element | null): boolean {
    const label = hit?.closest('label');
    return control.contains(hit) || label?.control === control || label?.contains(control) === true;
  }

  function points(control: HTMLElement): [number, number][] {
    const all: [number, number][] = [];
    const { borderRadius, display } = getComputedStyle(control);
    // A line of text may end in a space, which isn't the link's.
    const edge = display === 'inline' ? 5 : 1 + Math.min(Number.parseFloat(borderRadius), 12);
    for (const { left, top, right, bottom } of control.getClientRects())
      for (let y = Math.max(0, top) + edge; y <= Math.min(innerHeight, bottom) - edge; y += STEP)
        for (let x = Math.max(0, left) + edge; x <= Math.min(innerWidth, right) - edge; x += STEP)
          all.push([x, y]);
    return all;
  }
}
