/*
 * The build puts this inside every page. Fonts, later styles and the script sleep in a template, and are
 * asked for together once the first view is on the screen, so that nothing competes with it.
 */
new PerformanceObserver((_, observer) => {
  observer.disconnect();
  const template = document.querySelector('template');
  if (template) document.body.append(template.content);
}).observe({ type: 'paint', buffered: true });
