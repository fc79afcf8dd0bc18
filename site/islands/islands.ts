// The page's script. The page works without it, and it replaces nothing: each island adds to the existing HTML.
import { startContactForm } from './contact-form.ts';
import { measureHeader, startHeader, startScrollToTop } from './navigation.ts';
import { pageData } from './page-data.ts';
import { noteAskedPackage, readTopics, tickBySpot } from './topics.ts';

/** By the names of their places. The fourth, for toasts, is filled by in-form.tsx. */
const ISLANDS = {
  header: startHeader,
  'contact-form': startContactForm,
  'scroll-to-top': startScrollToTop,
};

/** So that none is missing for anyone who scrolls fast or saves the page, except those for other window widths. */
function showAllPictures() {
  const laidOut = new IntersectionObserver(
    (seen) => {
      for (const { isIntersecting, target } of seen)
        if (isIntersecting && target instanceof HTMLImageElement) target.loading = 'eager';
    },
    { rootMargin: '99999px' },
  );
  for (const picture of document.images) laidOut.observe(picture);
}

/** The page may be read in a later year than it was built in. */
function showCurrentYear() {
  const year = String(new Date().getFullYear());
  for (const time of document.querySelectorAll('time[data-current-year]')) time.textContent = year;
}

/** For browsers whose styles can't look into what's around it. */
function showState() {
  const hero = document.getElementById('hero-banner');
  // Not `change`: the story ends on the second state, which is chosen already when a press ends it early.
  hero?.addEventListener('click', ({ target }) => {
    if (target instanceof HTMLInputElement) hero.dataset.state = target.value;
  });
}

/** Needed only by visitors who tick a problem, or come by a link with somebody's ticks. */
function shareOnDemand() {
  const section = document.getElementById('problems-heading')?.closest('section');
  const load = () =>
    import('./share.ts').then(
      ({ startSharing }) => startSharing(pageData.share, readTopics),
      // The next touch tries again, except in Firefox, which needs a reload.
      () => {},
    );
  const loadForLink = () => location.hash.startsWith('#stuck=') && load();
  section?.addEventListener('focusin', load);
  section?.addEventListener('change', load);
  addEventListener('hashchange', loadForLink);
  loadForLink();
  if (history.state || section?.querySelector(':checked')) load();
}

/** If one fails, its part of the page stays as it is, and the others go on. The browser still reports it. */
function attempt(start: () => void) {
  try {
    start();
  } catch (error) {
    setTimeout(() => {
      throw error;
    });
  }
}

function start() {
  for (const [name, startIn] of Object.entries(ISLANDS))
    attempt(() => {
      const place = document.querySelector<HTMLElement>(`[data-island="${name}"]`);
      if (!place) return;
      startIn(place);
      place.dataset.alive = '';
    });
  for (const more of [measureHeader, showCurrentYear, showState, noteAskedPackage, tickBySpot, shareOnDemand])
    attempt(more);
  // Once the first view has loaded
  if (document.readyState === 'complete') attempt(showAllPictures);
  else addEventListener('load', showAllPictures, { once: true });
}

// A browser without it is from before 2022 and lacks what the scripts need. Its page stays plain HTML.
if ('at' in Array.prototype) start();
