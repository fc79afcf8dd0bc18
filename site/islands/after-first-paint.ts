// The build inlines this in the page's head. What the first view doesn't need is in the `<noscript>` before it, and
// loads after the first paint. Until the later styles arrive, the page ends below the first view.
{
  /** For pages that are never painted, such as a search engine's copy. */
  const PAINT_PATIENCE = 4000;
  /** After this, the text is shown without its styles. */
  const STYLES_PATIENCE = 10_000;
  const RETRY = 2000;
  const A_FRAME = 20;

  const { documentElement: root, head } = document;
  const { dataset } = document.currentScript as HTMLScriptElement;
  let links = (head.querySelector('noscript') as HTMLElement).textContent;
  const [visit = {}] = performance.getEntriesByType('navigation') as Partial<PerformanceNavigationTiming>[];

  /** Part by part, since the styles and layout of them all would block a phone for 200 ms. */
  const show = () => {
    if (!root.className) return;
    const rest = [...document.querySelectorAll<HTMLElement>('main>*+*,main~*')];
    for (const part of rest) part.style = 'display:none';
    root.className = '';
    // The first one too, since what the styles do to the first view is work enough for one task.
    const showNext = () =>
      // Waits for no frame, since a tab in the background paints none.
      setTimeout(() => {
        const part = rest.shift();
        if (part) {
          part.style = '';
          showNext();
        } else if (location.hash) {
          // For a link to a section that wasn't there yet.
          location.replace(location.hash);
        }
      }, A_FRAME);
    showNext();
  };
  const settle = ({ type, target }: Event) => {
    const link = target as HTMLLinkElement;
    if (link.rel !== 'stylesheet') return;
    show();
    if (type === 'error') setTimeout(() => link.replaceWith(link.cloneNode()), RETRY);
  };
  const wake = () => {
    // Inserted like this, links load, but scripts don't.
    head.insertAdjacentHTML('beforeend', links);
    links = '';
    // A second script with the same address doesn't run.
    head.append(Object.assign(document.createElement('script'), { type: 'module', src: dataset.src }));
    setTimeout(show, STYLES_PATIENCE);
    // See Header.tsx. Without popovers, this does nothing.
    for (const menu of document.querySelectorAll<HTMLElement>('#mobile-menu')) menu.popover = 'auto';
  };

  document.addEventListener('load', settle, true);
  document.addEventListener('error', settle, true);

  // The visitor lands further down, so the first paint has to wait for all styles. Only Chromium's has `:~:text`.
  if (/#/.test(visit.name + location.hash) || visit.type !== 'navigate') {
    document.write(links);
    links = '';
    // Firefox doesn't report a paint then.
    addEventListener('load', wake);
  } else root.className = 'waiting';
  setTimeout(wake, PAINT_PATIENCE);
  // Not at `first-paint`, which may be only the background.
  new PerformanceObserver((list) => list.getEntriesByName('first-contentful-paint')[0] && wake()).observe({
    type: 'paint',
    buffered: true,
  });
}
