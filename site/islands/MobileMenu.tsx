import { type FocusEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import { navigation } from '../content/navigation.ts';
import first from './MobileMenu.first.module.css';
import later from './MobileMenu.module.css';

const MENU_ID = 'mobile-menu';
const DESKTOP = '(width >= 64rem)';

type MobileMenuProps = {
  /** What lies on the sheet: a list of links, and below it one more. */
  children: ReactNode;
};

/**
 * The menu is a native popover, so it opens and closes before React arrives and without it. React only
 * follows: it says which state the menu is in and closes it where the browser would not.
 */
export function MobileMenu({ children }: MobileMenuProps) {
  const menu = useRef<HTMLDivElement>(null);
  // Not said in the static page: there the browser itself tells that what the button controls is open.
  const [open, setOpen] = useState<boolean>();

  useEffect(() => {
    setOpen(menu.current?.matches(':popover-open') ?? false);
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
    // biome-ignore lint/a11y/noStaticElementInteractions: it listens to what its contents do, it is none itself
    <div className={`${first.place} ${later.place}`} onBlur={closeWhenFocusLeaves}>
      <button
        type="button"
        id="menu-toggle"
        className={first.toggle}
        popoverTarget={MENU_ID}
        aria-controls={MENU_ID}
        aria-expanded={open}
        // Safari gives buttons the focus on a tap only when asked to; Escape hands it back to them.
        tabIndex={0}
      >
        {navigation.menu.button}
        <i aria-hidden="true" />
      </button>
      <noscript>
        {/* React never hydrates a noscript's content, so the script needn't carry it. */}
        {import.meta.env.SSR && <ScriptlessButtons />}
      </noscript>
      <div
        ref={menu}
        id={MENU_ID}
        className={later.menu}
        popover="auto"
        onToggle={(event) => setOpen(event.newState === 'open')}
      >
        <div className={later.sheet}>{children}</div>
        {/* Takes the tap beside the sheet, so that it does not press what lies underneath. */}
        <button
          type="button"
          className={later.veil}
          popoverTarget={MENU_ID}
          popoverTargetAction="hide"
          tabIndex={-1}
          aria-hidden="true"
        />
      </div>
    </div>
  );
}

/**
 * Without JavaScript a chosen link cannot close a popover; styles then hide it as soon as the section
 * has the focus. For the next press to show it again, one button only shows and another only hides.
 */
function ScriptlessButtons() {
  const { button, open, close } = navigation.menu;
  return (
    <>
      <button
        type="button"
        className={`${first.toggle} ${later.show}`}
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
        className={`${first.toggle} ${later.hide}`}
        popoverTarget={MENU_ID}
        popoverTargetAction="hide"
        aria-label={close}
        tabIndex={0}
      />
    </>
  );
}
