/*
 * The build inlines this in the page's head. What the first view doesn't need is in the `<noscript>` before it, and
 * loads after the first paint. Until the later styles arrive, the page ends below the first view.
 */
{
  /** For pages that are never painted, such as a search engine's copy. */
  const PAINT_PATIENCE = 4000;
  /** After this, the text is shown without its styles. */
  const STYLES_PATIENCE = 10_000;
  const RETRY = 2000;

  const { documentElement: root, head } = document;
  const { dataset } = document.currentScript as HTMLScriptElement;
  const links = head.querySelector('noscript')?.textContent ?? '';
  const [visit] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[];
  let isAwake = false;

  const show = () => {
    if (!root.className) return;
    root.className = '';
    // For a link to a section that wasn't there yet.
    if (location.hash) location.replace(location.hash);
  };
  const isStylesheet = (target: EventTarget | null) =>
    target instanceof HTMLLinkElement && target.rel === 'stylesheet';
  const wake = () => {
    if (isAwake) return;
    isAwake = true;
    // Unlike with innerHTML, links and scripts made this way load.
    if (root.className) head.append(document.createRange().createContextualFragment(links));
    head.append(Object.assign(document.createElement('script'), { type: 'module', ...dataset }));
    setTimeout(show, STYLES_PATIENCE);
  };

  document.addEventListener('load', ({ target }) => isStylesheet(target) && show(), true);
  document.addEventListener(
    'error',
    ({ target }) => {
      if (!isStylesheet(target)) return;
      show();
      setTimeout(() => (target as Element).replaceWith((target as Element).cloneNode()), RETRY);
    },
    true,
  );

  // The visitor lands further down, so the first paint has to wait for all styles.
  if (location.hash || visit?.type !== 'navigate') document.write(links);
  else root.className = 'waiting';
  setTimeout(wake, PAINT_PATIENCE);
  // Not at `first-paint`, which may be only the background.
  if (window.PerformanceObserver?.supportedEntryTypes?.includes('paint'))
    new PerformanceObserver(
      (list) => list.getEntriesByName('first-contentful-paint').length > 0 && wake(),
    ).observe({ type: 'paint', buffered: true });
  else addEventListener('load', wake);
}
