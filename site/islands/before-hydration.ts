/*
 * What a visitor may do before React has arrived, and has to work all the same. Links, the menu and the
 * form do so natively; these are the two things the browser leaves open.
 */

/** Long enough for a slow line to bring React; then the form goes its own, native way. */
const PATIENCE = 10_000;

/** A link chosen in the open menu closes it. */
export function closeMenuOnChoice() {
  document.addEventListener('click', ({ target }) => {
    if (!(target instanceof Element) || !target.closest('[popover] a')) return;
    target.closest<HTMLElement>('[popover]')?.hidePopover();
  });
}

/**
 * Holds back a form that is sent too early and sends it, once, when its island is alive. If that does
 * not come about, the form posts itself: then there is no island that could send it a second time.
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
