import type { ReactNode } from 'react';
import { navigation } from '../content/navigation.ts';
import first from './MobileMenu.first.module.css';
import later from './MobileMenu.module.css';

const MENU_ID = 'mobile-menu';
const SCRIPTLESS_MENU_ID = 'scriptless-menu';

type Inside = Record<'links' | 'call', ReactNode>;

/**
 * A native popover, by the inline script: in the HTML, some browsers that have none would call the attribute an error.
 * site/islands/header.ts closes it where browsers don't, or does all of it.
 */
export function MobileMenu({ links, call }: Inside) {
  const { label, menu } = navigation;
  return (
    <div className={`${first.place} ${later.place}`}>
      <button
        type="button"
        className={first.toggle}
        popoverTarget={MENU_ID}
        aria-controls={MENU_ID}
        // Otherwise Safari doesn't focus a tapped button, and Escape couldn't return the focus to it.
        tabIndex={0}
      >
        {menu.button}
        <i />
      </button>
      <div id={MENU_ID} className={`${first.menu} ${later.menu}`}>
        <Sheet menu={MENU_ID} label={menu.button} links={links} call={call} />
      </div>
      <noscript>
        <ScriptlessButtons />
        <div id={SCRIPTLESS_MENU_ID} className={later.menu} popover="auto">
          <Sheet menu={SCRIPTLESS_MENU_ID} label={`${label}: ${menu.button}`} links={links} call={call} />
        </div>
      </noscript>
    </div>
  );
}

function Sheet({ menu, label, links, call }: Inside & { menu: string; label: string }) {
  return (
    <>
      <div className={later.sheet}>
        <nav aria-label={label}>{links}</nav>
        {call}
      </div>
      {/* Catches taps beside the sheet, so they don't reach what's underneath. */}
      <button
        type="button"
        className={later.veil}
        popoverTarget={menu}
        popoverTargetAction="hide"
        tabIndex={-1}
        aria-hidden="true"
      />
    </>
  );
}

/**
 * Without JavaScript, a link can't close its popover, so styles hide it while the focus is below the header. It's still
 * open then: one button only shows and another only hides, so the next press shows it again.
 */
function ScriptlessButtons() {
  const { button, open, close } = navigation.menu;
  const shared = { popoverTarget: SCRIPTLESS_MENU_ID, tabIndex: 0 };
  const hide = `${first.toggle} ${later.hide}`;
  return (
    <>
      <button type="button" className={first.toggle} {...shared} popoverTargetAction="show" aria-label={open}>
        {button}
        <i />
      </button>
      <button type="button" className={hide} {...shared} popoverTargetAction="hide" aria-label={close} />
    </>
  );
}
