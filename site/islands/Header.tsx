import { useRef } from 'react';
import { brand } from '../content/business.ts';
import { navigation } from '../content/navigation.ts';
import first from './Header.first.module.css';
import later from './Header.module.css';
import { MobileMenu } from './MobileMenu.tsx';
import { useCurrentSection } from './use-current-section.ts';
import { useScrolledPast } from './use-scrolled-past.ts';

const SECTIONS = navigation.links.map((link) => link.id);

export function Header() {
  const edge = useRef<HTMLDivElement>(null);
  const scrolled = useScrolledPast(edge);
  const current = useCurrentSection(SECTIONS);

  return (
    <>
      <a className={`${later.skip} button`} href="#main">
        {navigation.skipLink}
      </a>
      <div ref={edge} className={later.edge} aria-hidden="true" />
      <header className={`${first.header} ${later.header}`} data-scrolled={scrolled}>
        <div className={first.bar}>
          <a className={first.brand} href="#hero-banner">
            {/* The logo is in the page, so the script doesn't have to carry it. */}
            <svg className={first.mark} viewBox="0 0 32 32" aria-hidden="true">
              <use href="#mark" />
            </svg>
            {brand.name}
          </a>
          <nav className={`${first.desktop} ${later.desktop}`} aria-label={navigation.label}>
            <NavigationLinks current={current} />
          </nav>
          <CallToAction />
          <MobileMenu>
            <nav aria-label={navigation.menu.button}>
              <NavigationLinks current={current} />
            </nav>
            <CallToAction />
          </MobileMenu>
        </div>
      </header>
    </>
  );
}

function NavigationLinks({ current }: { current: string | undefined }) {
  return (
    <ul className={first.links}>
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
    <a className="button button-signal" href={`#${id}`}>
      {label}
    </a>
  );
}
