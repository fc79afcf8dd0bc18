type Props<Tag extends keyof HTMLElementTagNameMap> = Partial<Omit<HTMLElementTagNameMap[Tag], 'style'>> &
  Record<`aria-${string}` | `data-${string}` | 'role', string>;

/** Makes an element. What has a hyphen in its name is an attribute, as is the role. */
export function h<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  props: Partial<Props<Tag>> = {},
  ...children: (Node | string | false | undefined)[]
): HTMLElementTagNameMap[Tag] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) {
    if (name.includes('-') || name === 'role') element.setAttribute(name, String(value));
    else Reflect.set(element, name, value);
  }
  element.append(...children.filter((child) => child !== false && child !== undefined));
  return element;
}

export const button = (words: string, onclick: () => void, more: Partial<Props<'button'>> = {}) =>
  h('button', { type: 'button', onclick, ...more }, words);

const HANDLERS = ['onclick', 'oninput', 'onchange', 'onfocus', 'onblur', 'onkeydown'];

/** What she types in isn't touched. */
const isTypedIn = (element: Element | null) =>
  element?.matches('[contenteditable], textarea, input') ?? false;

/** Makes one element like another with as little as possible, so that focus, place and what's folded out stay. */
export function morph(old: Element, fresh: Element): void {
  const active = old.ownerDocument.activeElement;
  for (const { name } of [...old.attributes])
    if (!fresh.hasAttribute(name) && name !== 'open') old.removeAttribute(name);
  for (const { name, value } of fresh.attributes)
    if (old.getAttribute(name) !== value) old.setAttribute(name, value);
  for (const name of HANDLERS) Reflect.set(old, name, Reflect.get(fresh, name));
  if (old === active && isTypedIn(old)) return;
  for (const name of ['value', 'checked'])
    if (name in fresh) Reflect.set(old, name, Reflect.get(fresh, name));
  const [before, after] = [[...old.childNodes], [...fresh.childNodes]];
  const isAlike =
    before.length === after.length && before.every((one, at) => one.nodeName === after[at]?.nodeName);
  if (!isAlike) {
    if (!(isTypedIn(active) && old.contains(active))) old.replaceChildren(...after);
    return;
  }
  for (const [at, one] of before.entries()) {
    const other = after[at];
    if (one.nodeType === Node.ELEMENT_NODE) morph(one as Element, other as Element);
    else if (one.nodeValue !== other?.nodeValue) one.nodeValue = other?.nodeValue ?? '';
  }
}
