// What has to work before hydration and doesn't natively.

/** Long enough to load React over a slow connection. After that, the form posts natively. */
const PATIENCE = 10_000;

/** Choosing a link in the open menu closes it. */
export function closeMenuOnChoice() {
  document.addEventListener('click', ({ target }) => {
    if (!(target instanceof Element) || !target.closest('[popover] a')) return;
    target.closest<HTMLElement>('[popover]')?.hidePopover();
  });
}

/** "Ask about this blueprint" marks its sheet in place of another, for topics.ts. */
export function noteAskedPackage() {
  document.addEventListener('click', ({ target, ctrlKey, metaKey, shiftKey }) => {
    // With a key, the link opens elsewhere.
    if (!(target instanceof Element) || ctrlKey || metaKey || shiftKey) return;
    const asked = target.closest('article a')?.closest('article');
    if (!asked) return;
    for (const sheet of document.querySelectorAll('article')) {
      sheet.toggleAttribute('data-asked', sheet === asked);
    }
    asked.dispatchEvent(new Event('change', { bubbles: true }));
  });
}

/**
 * Holds a form submitted before hydration, and submits it once afterwards. If hydration fails, the form posts natively:
 * there's no island then that could send it a second time.
 */
export function holdEarlySubmits(start: () => Promise<void>) {
  const held = new Set<HTMLFormElement>();
  document.addEventListener(
    'submit',
    async (event) => {
      const form = event.target;
      const place = form instanceof HTMLFormElement && form.closest<HTMLElement>('[data-island]');
      if (!place || 'hydrated' in place.dataset) return;
      event.preventDefault();
      event.stopImmediatePropagation();
      if (held.has(form)) return;
      held.add(form);
      place.dataset.waiting = '';
      await Promise.race([start(), wait(PATIENCE)]).catch(() => {});
      delete place.dataset.waiting;
      if ('hydrated' in place.dataset) form.requestSubmit();
      else form.submit();
    },
    true,
  );
}

function wait(milliseconds: number) {
  return new Promise<void>((done) => setTimeout(done, milliseconds));
}
