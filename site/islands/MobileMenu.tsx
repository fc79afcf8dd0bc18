import { type FocusEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import { navigation } from '../content/navigation.ts';
import first from './MobileMenu.first.module.css';
import later from './MobileMenu.module.css';

const MENU_ID = 'mobile-menu';
const DESKTOP = '(width >= 64rem)';

/** A native popover, so it works without React, which only tracks its state and closes it where browsers don't. */
export function MobileMenu({ children }: { children: ReactNode }) {
  const menu = useRef<HTMLDivElement>(null);
  // Undefined in the static page, where the browser itself reports whether the popover is open.
  const [open, setOpen] = useState<boolean>();

  useEffect(() => {
    setOpen(menu.current?.matches(':popover-open') ?? false);
    const desktop = window.matchMedia(DESKTOP);
    const close = () => menu.current?.hidePopover();
    desktop.addEventListener('change', close);
    return () => desktop.removeEventListener('change', close);
  }, []);

  // Otherwise the focus would move around underneath it.
  function closeWhenFocusLeaves(event: FocusEvent<HTMLElement>) {
    const next = event.relatedTarget;
    if (next && !event.currentTarget.contains(next)) menu.current?.hidePopover();
  }

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it only listens to what happens inside it
    <div className={`${first.place} ${later.place}`} onBlur={closeWhenFocusLeaves}>
      <button
        type="button"
        className={first.toggle}
        popoverTarget={MENU_ID}
        aria-controls={MENU_ID}
        aria-expanded={open}
        // Otherwise Safari doesn't focus a tapped button, and Escape couldn't return the focus to it.
        tabIndex={0}
      >
        {navigation.menu.button}
        <i aria-hidden="true" />
      </button>
      <noscript>
        {/* React never hydrates a noscript's content, so the script doesn't have to carry it. */}
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
        {/* Catches taps beside the sheet, so they don't reach what's underneath. */}
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
 * Without JavaScript, a link can't close its popover, so styles hide it while the focus is below the header. It's still
 * open then: one button only shows and another only hides, so the next press shows it again.
 */
function ScriptlessButtons() {
  const { button, open, close } = navigation.menu;
  return (
    <>
      <button
        type="button"
        className={first.toggle}
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
