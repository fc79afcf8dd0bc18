/** What she types in isn't touched. */
const isTypedIn = (element: Element | null) => element?.matches('[contenteditable], [type=search]') ?? false;

/** Makes one element like another with as few changes as possible: focus, position and open parts stay. */
export function morph(old: Element, fresh: Element): void {
  const { ownerDocument } = old;
  const active = ownerDocument.hasFocus() ? ownerDocument.activeElement : null;
  const isHers = old === active && isTypedIn(old);
  // Once she has left it
  if (isHers && !isTypedIn(fresh)) return;
  for (const { name } of [...old.attributes])
    if (!fresh.hasAttribute(name) && name !== 'open') old.removeAttribute(name);
  for (const { name, value } of fresh.attributes)
    if (old.getAttribute(name) !== value) old.setAttribute(name, value);
  if (isHers) return;
  if (old instanceof HTMLInputElement) old.checked = old.hasAttribute('checked');
  const [before, after] = [[...old.childNodes], [...fresh.childNodes]];
  const isAlike =
    before.length === after.length && before.every((one, at) => one.nodeName === after[at]?.nodeName);
  if (!isAlike) {
    const at = isTypedIn(active) ? before.findIndex((one) => one.contains(active)) : -1;
    const [kept, like] = [before[at], after[at]];
    if (!kept) {
      const open = new Set(Array.from(old.querySelectorAll('details[open] [id]'), ({ id }) => id));
      old.replaceChildren(...after);
      for (const one of old.querySelectorAll('[id]')) if (open.has(one.id)) unfold(one);
    } else if (kept instanceof Element && like instanceof Element && kept.nodeName === like.nodeName) {
      for (const one of before) if (one !== kept) one.remove();
      kept.before(...after.slice(0, at));
      kept.after(...after.slice(at + 1));
      morph(kept, like);
    }
    return;
  }
  for (const [at, one] of before.entries()) {
    const other = after[at];
    if (one.nodeType === Node.ELEMENT_NODE) morph(one as Element, other as Element);
    else if (one.nodeValue !== other?.nodeValue) one.nodeValue = other?.nodeValue ?? '';
  }
}

export function unfold(element: Element): void {
  for (let one = element.closest('details'); one; one = one.parentElement?.closest('details') ?? null)
    one.open = true;
}
