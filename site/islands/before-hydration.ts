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

/**
 * "Ask about this blueprint" writes the package's name above the message. Whatever was typed stays, and asking about
 * another package replaces only the name. After hydration, so that a draft is back in its field first.
 */
export function bringPackageToForm(start: () => Promise<void>) {
  document.addEventListener('click', async ({ target, ctrlKey, metaKey, shiftKey }) => {
    // With a key, the link opens elsewhere.
    if (!(target instanceof Element) || ctrlKey || metaKey || shiftKey) return;
    const asked = target.closest('article a')?.closest('article');
    if (!asked) return;
    await start().catch(() => {});
    const field = document.querySelector('textarea');
    if (!field) return;
    const line = (sheet: Element) => `${sheet.querySelector('h3')?.textContent}:\n`;
    const former = [...document.querySelectorAll('article')]
      .map(line)
      .find((it) => field.value.startsWith(it));
    field.value = line(asked) + field.value.slice(former?.length ?? 0);
    field.dispatchEvent(new Event('input', { bubbles: true }));
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
