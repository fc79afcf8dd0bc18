import type { ComponentType } from 'react';
import { Contact } from './sections/Contact.tsx';
import { Footer } from './sections/Footer.tsx';
import { Founder } from './sections/Founder.tsx';
import { Header } from './sections/Header.tsx';
import { Hero } from './sections/Hero.tsx';
import { Packages } from './sections/Packages.tsx';
import { Pillars } from './sections/Pillars.tsx';
import { Problems } from './sections/Problems.tsx';
import { Process } from './sections/Process.tsx';
import { Promises } from './sections/Promises.tsx';
import { Questions } from './sections/Questions.tsx';
import { Route } from './sections/Route.tsx';
import { ScrollToTop } from './sections/ScrollToTop.tsx';
import { Solution } from './sections/Solution.tsx';
import { ThumbBar } from './sections/ThumbBar.tsx';
import { WorkingTogether } from './sections/WorkingTogether.tsx';

/** Some have paragraphs for llms.txt. */
export const sections: readonly (ComponentType & { markdown?: string[] })[] = [
  Hero,
  Problems,
  Solution,
  Process,
  Pillars,
  Packages,
  Promises,
  Founder,
  WorkingTogether,
  Questions,
  Contact,
];

export function Page() {
  return (
    <>
      <div data-island="header">
        <Header />
      </div>
      <main id="main" tabIndex={-1}>
        {sections.map((Section) => (
          <Section key={Section.name} />
        ))}
        <Route />
        <ThumbBar />
        <div data-island="scroll-to-top">
          <ScrollToTop />
        </div>
      </main>
      <Footer />
      {/* Empty until the first one. */}
      <div data-island="toasts" />
    </>
  );
}
