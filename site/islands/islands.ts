// The page's script. It's small, and imports React when the browser is idle or at the visitor's first touch.
import { closeMenuOnChoice, holdEarlySubmits, noteAskedPackage } from './before-hydration.ts';
import { measureHeader } from './header-height.ts';

const TOUCHES = ['pointerdown', 'touchstart', 'keydown', 'focusin', 'input'] as const;

let started: Promise<void> | undefined;

function start() {
  started ??= import('./hydrate.tsx').then((module) => module.hydrate(document.activeElement));
  started.then(forgetTouches, () => {
    // The next touch tries again.
    started = undefined;
  });
  return started;
}

function startQuietly() {
  start().catch(() => {});
}

function forgetTouches() {
  for (const touch of TOUCHES) removeEventListener(touch, startQuietly, true);
}

function startWhenIdle() {
  const startAll = () => {
    startQuietly();
    showAllPictures();
  };
  if ('requestIdleCallback' in window) requestIdleCallback(startAll);
  else setTimeout(startAll, 200);
}

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

measureHeader();
showCurrentYear();
replayOnDemand();
closeMenuOnChoice();
holdEarlySubmits(start);
noteAskedPackage();
for (const touch of TOUCHES) addEventListener(touch, startQuietly, { capture: true, passive: true });
if (document.readyState === 'complete') startWhenIdle();
else addEventListener('load', startWhenIdle, { once: true });
