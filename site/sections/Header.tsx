import { brand } from '../content/business.ts';
import { navigation } from '../content/navigation.ts';
import first from './Header.first.module.css';
import later from './Header.module.css';
import { MobileMenu } from './MobileMenu.tsx';

/** Works by itself; site/islands/header.ts says where on the page the visitor is. */
export function Header() {
  return (
    <>
      <a className={`${later.skip} button`} href="#main">
        {navigation.skipLink}
      </a>
      <div className={later.edge} />
      <header className={`${first.header} ${later.header}`}>
        <div className={first.bar}>
          <a className={first.brand} href="#hero-banner">
            <svg className={first.mark} viewBox="0 0 32 32" aria-hidden="true">
              <use href="#mark" />
            </svg>
            {brand.name}
          </a>
          <nav className={`${first.desktop} ${later.desktop}`} aria-label={navigation.label}>
            <NavigationLinks />
          </nav>
          <CallToAction />
          <MobileMenu links={<NavigationLinks />} call={<CallToAction />} />
        </div>
      </header>
    </>
  );
}

function NavigationLinks() {
  return (
    <ul className={first.links}>
      {navigation.links.map(({ id, label }) => (
        <li key={id}>
          <a href={`#${id}`}>{label}</a>
        </li>
      ))}
    </ul>
  );
}

function CallToAction() {
  const { id, label } = navigation.callToAction;
  return (
    <a className="button button-signal" href={`#${id}`}>
      {label}
    </a>
  );
}
