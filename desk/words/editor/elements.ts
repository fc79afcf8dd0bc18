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
