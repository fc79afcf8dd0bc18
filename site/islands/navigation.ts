/** A line across the window, a little above the middle. The section under it is the current one. */
const READING_LINE = '-40% 0px -60%';
const DESKTOP = '(min-width: 64rem)';

export function startHeader(place: HTMLElement): void {
  const header = place.querySelector('header');
  const edge = header?.previousElementSibling;
  if (!header || !edge) return;
  onScrolledPast(edge, (past) => {
    header.dataset.scrolled = String(past);
  });
  markCurrentSection(header);
  const toggle = header.querySelector<HTMLElement>('[aria-controls]');
  const menu = document.getElementById(toggle?.getAttribute('aria-controls') ?? '');
  if (toggle && menu) startMenu(menu, toggle);
}

/** Unlike a scroll handler, an observer needs no layout. A mark that touches the edge, or has no layout yet, isn't passed. */
function onScrolledPast(mark: Element, tell: (past: boolean) => void): void {
  new IntersectionObserver((entries) => {
    for (const { isIntersecting, boundingClientRect } of entries)
      tell(!isIntersecting && boundingClientRect.top < 0);
  }).observe(mark);
}

function markCurrentSection(header: Element): void {
  const links = [...header.querySelectorAll('li a')];
  const observer = new IntersectionObserver(
    (entries) => {
      for (const { isIntersecting, target } of entries)
        for (const link of links) {
          if (link.getAttribute('href') !== `#${target.id}`) continue;
          if (isIntersecting) link.setAttribute('aria-current', 'location');
          else link.removeAttribute('aria-current');
        }
    },
    { rootMargin: READING_LINE },
  );
  for (const href of new Set(links.map((link) => link.getAttribute('href')))) {
    const section = document.getElementById(href?.slice(1) ?? '');
    if (section) observer.observe(section);
  }
}

/** What browsers leave out: from 2024 on, the menu is a native popover. */
function startMenu(menu: HTMLElement, toggle: HTMLElement): void {
  const tell = (isOpen: boolean) => toggle.setAttribute('aria-expanded', String(isOpen));
  const isNative = 'popover' in HTMLElement.prototype;
  const close = isNative ? () => menu.hidePopover() : imitatePopover(menu, toggle, tell);
  tell(isNative && menu.matches(':popover-open'));
  menu.addEventListener('toggle', (event) => tell((event as ToggleEvent).newState === 'open'));
  menu.addEventListener('click', ({ target }) => {
    if (target instanceof Element && target.closest('a')) close();
  });
  window.matchMedia(DESKTOP).addEventListener('change', close);
  // Otherwise the focus would move around underneath it.
  menu.parentElement?.addEventListener('focusout', ({ relatedTarget }) => {
    if (relatedTarget instanceof Node && !menu.parentElement?.contains(relatedTarget)) close();
  });
}

/** @returns what closes it */
function imitatePopover(menu: Element, toggle: HTMLElement, tell: (isOpen: boolean) => void): () => void {
  const isOpen = () => menu.hasAttribute('data-open');
  const set = (open: boolean) => {
    menu.toggleAttribute('data-open', open);
    tell(open);
  };
  const close = () => set(false);
  toggle.addEventListener('click', () => set(!isOpen()));
  document.addEventListener('click', ({ target }) => {
    const inside = target instanceof Node && (toggle.contains(target) || menu.firstChild?.contains(target));
    if (isOpen() && !inside) close();
  });
  document.addEventListener('keydown', ({ key }) => {
    if (key !== 'Escape' || !isOpen()) return;
    close();
    toggle.focus();
  });
  return close;
}

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
    // The target in the address may be behind it by now.
    const target = document.querySelector(':target');
    const top = target?.getBoundingClientRect().top ?? 0;
    if (top > 0 && top < height) target?.scrollIntoView({ behavior: 'instant' });
  }).observe(bar);
}

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
