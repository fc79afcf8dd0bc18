import { type FocusEvent, useEffect, useRef, useState } from 'react';
import { brand, navigation } from '../content/navigation.ts';
import styles from './Header.module.css';
import { useCurrentSection } from './use-current-section.ts';
import { useScrolledPast } from './use-scrolled-past.ts';

const MENU_ID = 'mobile-menu';
const SECTIONS = navigation.links.map((link) => link.id);
const DESKTOP = '(width >= 64rem)';

/**
 * The menu is a native popover, so it opens and closes before React arrives and without it. React only
 * follows: it says which state the menu is in and closes it where the browser would not.
 */
export function Header() {
  const edge = useRef<HTMLDivElement>(null);
  const menu = useRef<HTMLDivElement>(null);
  // Not said in the static page: there the browser itself tells what the button controls is open.
  const [menuOpen, setMenuOpen] = useState<boolean>();
  const scrolled = useScrolledPast(edge);
  const current = useCurrentSection(SECTIONS);

  useEffect(() => {
    setMenuOpen(menu.current?.matches(':popover-open') ?? false);
    const desktop = window.matchMedia(DESKTOP);
    const close = () => menu.current?.hidePopover();
    desktop.addEventListener('change', close);
    return () => desktop.removeEventListener('change', close);
  }, []);

  // Or the focus would wander on underneath it.
  function closeWhenFocusLeaves(event: FocusEvent<HTMLElement>) {
    const next = event.relatedTarget;
    if (next && !event.currentTarget.contains(next)) menu.current?.hidePopover();
  }

  return (
    <>
      <a className={styles.skip} href="#main">
        {navigation.skipLink}
      </a>
      <div ref={edge} className={styles.edge} aria-hidden="true" />
      {/* biome-ignore lint/a11y/noStaticElementInteractions: it listens to what its links do, it is none itself */}
      <header className={styles.header} data-scrolled={scrolled} onBlur={closeWhenFocusLeaves}>
        <div className={styles.bar}>
          <a className={styles.brand} href="#hero-banner">
            <svg className={styles.mark} viewBox="0 0 32 32" aria-hidden="true">
              <use href="#mark" />
            </svg>
            {brand.name}
          </a>

          <nav className={styles.desktop} aria-label={navigation.label}>
            <NavigationLinks current={current} />
          </nav>
          <CallToAction />

          <MenuButton expanded={menuOpen} />
          <div
            ref={menu}
            id={MENU_ID}
            className={styles.menu}
            popover="auto"
            onToggle={(event) => setMenuOpen(event.newState === 'open')}
          >
            <div className={styles.sheet}>
              <nav aria-label={navigation.label}>
                <NavigationLinks current={current} />
              </nav>
              <CallToAction />
            </div>
            {/* Takes the tap beside the sheet, so that it does not press what lies underneath. */}
            <button
              type="button"
              className={styles.veil}
              popoverTarget={MENU_ID}
              popoverTargetAction="hide"
              tabIndex={-1}
              aria-hidden="true"
            />
          </div>
        </div>
      </header>
    </>
  );
}

function NavigationLinks({ current }: { current: string | undefined }) {
  return (
    <ul className={styles.links}>
      {navigation.links.map(({ id, label }) => (
        <li key={id}>
          <a href={`#${id}`} aria-current={id === current ? 'location' : undefined}>
            {label}
          </a>
        </li>
      ))}
    </ul>
  );
}

function CallToAction() {
  const { id, label } = navigation.callToAction;
  return (
    <a className={styles.callToAction} href={`#${id}`}>
      {label}
    </a>
  );
}

/**
 * Without JavaScript a chosen link cannot close a popover; styles then hide it as soon as the section
 * has the focus. For the next press to show it again, one button shows and another hides there.
 */
function MenuButton({ expanded }: { expanded: boolean | undefined }) {
  const { button, open, close } = navigation.menu;
  return (
    <>
      <button
        type="button"
        id="menu-toggle"
        className={styles.toggle}
        popoverTarget={MENU_ID}
        aria-controls={MENU_ID}
        aria-expanded={expanded}
        // Safari gives buttons the focus on a tap only when asked to; Escape hands it back to them.
        tabIndex={0}
      >
        {button}
        <i aria-hidden="true" />
      </button>
      <noscript>
        <button
          type="button"
          className={styles.show}
          popoverTarget={MENU_ID}
          popoverTargetAction="show"
          aria-label={open}
          tabIndex={0}
        >
          {button}
          <i aria-hidden="true" />
        </button>
        <button
          type="button"
          className={styles.hide}
          popoverTarget={MENU_ID}
          popoverTargetAction="hide"
          aria-label={close}
          tabIndex={0}
        >
          {button}
          <i aria-hidden="true" />
        </button>
      </noscript>
    </>
  );
}
