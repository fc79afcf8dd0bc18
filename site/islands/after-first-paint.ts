/*
 * The build puts this inside every page. Fonts, later styles, icons and the script sleep in a `<noscript>`, and are
 * asked for together once the first view is on the screen, so that nothing competes with it.
 */
new PerformanceObserver((_, observer) => {
  observer.disconnect();
  const { textContent } = document.querySelector('body>noscript') ?? {};
  // Unlike innerHTML, it makes scripts that run.
  if (textContent) document.head.append(document.createRange().createContextualFragment(textContent));
}).observe({ type: 'paint', buffered: true });
