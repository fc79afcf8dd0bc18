import { brand } from '../content/business.ts';
import { navigation } from '../content/navigation.ts';
import first from './Header.first.module.css';
import menuLater from './Header.menu.module.css';
import later from './Header.module.css';

const MENU_ID = 'mobile-menu';
const SCRIPTLESS_MENU_ID = 'scriptless-menu';

/** Works by itself; site/islands/navigation.ts says where on the page the visitor is. */
export function Header() {
  return (
    <>
      <a className={`${later.skip} button`} href="#main">
        {navigation.skipLink}
      </a>
      <div className={later.edge} />
      <header className={first.header}>
        <div className={first.bar}>
          <a className={first.home} href="#hero-banner">
            <svg viewBox="0 0 32 32" aria-hidden="true">
              <use href="#mark" />
            </svg>
            {brand.name}
          </a>
          <nav className={first.desktop} aria-label={navigation.label}>
            <NavigationLinks />
          </nav>
          <CallToAction isQuiet />
          <MobileMenu />
        </div>
      </header>
    </>
  );
}

function NavigationLinks() {
  return (
    <ul>
      {navigation.links.map(({ id, label }) => (
        <li key={id}>
          <a href={`#${id}`}>{label}</a>
        </li>
      ))}
    </ul>
  );
}

/** @param isQuiet while the hero's own is in view */
export function CallToAction({ isQuiet = false }) {
  const { id, label } = navigation.callToAction;
  return (
    <a className={isQuiet ? 'button' : 'button button-signal'} href={`#${id}`}>
      {label}
    </a>
  );
}

/**
 * A native popover, made by the inline script: in the HTML, some browsers without them report the attribute as an
 * error. site/islands/navigation.ts closes it where browsers don't, or does all of it.
 */
function MobileMenu() {
  const { label, menu } = navigation;
  const scriptless = { popoverTarget: SCRIPTLESS_MENU_ID, tabIndex: 0 };
  return (
    <div className={first.place}>
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
      <div id={MENU_ID} className={first.menu}>
        <Sheet menu={MENU_ID} label={menu.button} />
      </div>
      <noscript>
        {/* A link can't close its popover here, so styles hide it while the focus is below the header. It's still open
            then: one button only shows and another only hides, so the next press shows it again. */}
        <button
          type="button"
          className={first.toggle}
          {...scriptless}
          popoverTargetAction="show"
          aria-label={menu.open}
        >
          {menu.button}
          <i />
        </button>
        <button
          type="button"
          className={`${first.toggle} ${menuLater.hide}`}
          {...scriptless}
          popoverTargetAction="hide"
          aria-label={menu.close}
        />
        <div id={SCRIPTLESS_MENU_ID} className={menuLater.menu} popover="auto">
          <Sheet menu={SCRIPTLESS_MENU_ID} label={`${label}: ${menu.button}`} />
        </div>
      </noscript>
    </div>
  );
}

function Sheet({ menu, label }: Record<'menu' | 'label', string>) {
  return (
    <>
      <div className={menuLater.drawer}>
        <nav aria-label={label}>
          <NavigationLinks />
        </nav>
        <CallToAction />
      </div>
      {/* Catches taps beside the sheet, so they don't reach what's underneath. */}
      <button
        type="button"
        className={menuLater.veil}
        popoverTarget={menu}
        popoverTargetAction="hide"
        tabIndex={-1}
        aria-hidden="true"
      />
    </>
  );
}
