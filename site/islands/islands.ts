// The page's script. The page works without it, and it takes nothing over: each island adds to the HTML that is there.
import { startContactForm } from './contact-form.ts';
import { startHeader } from './header.ts';
import { startScrollToTop } from './scroll-to-top.ts';
import { noteAskedPackage } from './topics.ts';

const ISLANDS = {
  header: startHeader,
  'contact-form': startContactForm,
  'scroll-to-top': startScrollToTop,
} satisfies Record<string, (place: HTMLElement) => void>;
/** `toasts` is filled by in-form.tsx. */
export type IslandName = keyof typeof ISLANDS | 'toasts';

/**
 * Those further down too, now that the first view is done: whoever scrolls fast or saves the page finds none missing.
 * But not those that are only for narrower or wider windows.
 */
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
  for (const time of document.querySelectorAll<HTMLTimeElement>('time[data-current-year]')) {
    time.textContent = year;
    time.dateTime = year;
  }
}

/** From its beginning; it has run to its end by itself. */
function replayOnDemand() {
  const plan = document.querySelector('.hp');
  document.querySelector('.hp-again')?.addEventListener('click', () => {
    for (const animation of plan?.getAnimations({ subtree: true }) ?? []) {
      animation.currentTime = 0;
      animation.play();
    }
  });
}

/** One that fails leaves its part of the page as it is, and the others alone. The browser reports it all the same. */
function attempt(start: () => void) {
  try {
    start();
  } catch (error) {
    setTimeout(() => {
      throw error;
    });
  }
}

for (const [name, start] of Object.entries(ISLANDS)) {
  const place = document.querySelector<HTMLElement>(`[data-island="${name}"]`);
  if (place)
    attempt(() => {
      start(place);
      place.dataset.alive = '';
    });
}
for (const start of [showCurrentYear, replayOnDemand, noteAskedPackage]) attempt(start);

function whenIdle(start: () => void) {
  if ('requestIdleCallback' in window) requestIdleCallback(start);
  else setTimeout(start, 200);
}
if (document.readyState === 'complete') whenIdle(showAllPictures);
else addEventListener('load', () => whenIdle(showAllPictures), { once: true });
