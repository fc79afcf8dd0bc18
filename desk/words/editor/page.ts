import { MARK } from '../values.ts';
import fields from './fields.css?inline';
import type { Model } from './model.ts';
import { morph } from './morph.ts';
import styles from './page.css?inline';
import type { Panel } from './panel.ts';
import { listenToTyping, makeField } from './typing.ts';

// The page as visitors see it, in a frame, with its texts as fields. Nothing in it runs, and nothing is wrapped: what
// an element is for its texts stands in its attributes.

/** Returns the function that shows the page the desk sent last. */
export function openPage(page: Document, model: Model, panel: Panel): () => void {
  listenToTyping(page, model);
  page.addEventListener('keydown', (event) => {
    const target = event.target as Element;
    if (!target.matches('[data-words]:not([contenteditable])') || !/^(Enter| )$/.test(event.key)) return;
    event.preventDefault();
    open(target);
  });
  page.addEventListener('click', (event) => {
    event.preventDefault();
    const target = event.target as HTMLElement;
    if (!target.isContentEditable) open(target);
  });
  listenToDrops(page, panel);

  /** Opens the panel at what's pressed or, around several texts, at what they have in common. */
  function open(target: Element): void {
    const around = outwards(target).find((one) => keysIn(one).length > 0);
    if (!around) return;
    const keys = keysIn(around);
    const key = common(around === target ? keys.slice(0, 1) : keys);
    // Whoever presses a portrait wants another one, not another description of it.
    panel.show(/^founder\.(photo|portrait)$/.test(key) ? 'founder.picture' : (numberIn(target) ?? key));
  }

  /** The key of the number that's pressed, among those in the same entry of a list, such as a package. */
  function numberIn(target: Element): string | undefined {
    const digits = target.textContent.replace(/\D/g, '');
    const [entry] = outwards(target)
      .flatMap(keysIn)
      .flatMap((key) => key.match(/^.+?\.\d+\./) ?? []);
    return model.state.fields.find(
      ({ kind, key, value }) =>
        kind === 'number' && entry && key.startsWith(entry) && String(value) === digits,
    )?.key;
  }

  /** Names the texts of a page that came from the desk, and makes fields of them. */
  function prepare(fresh: Document): void {
    for (const script of fresh.querySelectorAll('script, body noscript, meta[http-equiv]')) script.remove();
    for (const without of fresh.querySelectorAll('noscript')) without.replaceWith(...without.childNodes);
    const named = new Map<Element, Set<string>>();
    const note = (element: Element | null, marked: string) => {
      for (const [, number] of marked.matchAll(MARK)) {
        const { key } = model.state.fields[Number(number)] ?? {};
        if (element && key) named.set(element, (named.get(element) ?? new Set()).add(key));
      }
      return marked.replace(MARK, '');
    };
    const walker = fresh.createTreeWalker(fresh, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      const text = walker.currentNode as Text;
      text.data = note(text.parentElement, text.data);
    }
    for (const element of fresh.querySelectorAll('*')) {
      for (const attribute of element.attributes)
        if (attribute.value.includes('\ue003'))
          attribute.value = note(element.matches('img, svg') ? element : null, attribute.value);
    }
    for (const folded of fresh.querySelectorAll('details')) folded.open = true;
    for (const one of fresh.querySelectorAll('a, button, summary, [tabindex]'))
      one.setAttribute('tabindex', '-1');
    for (const one of fresh.querySelectorAll('input, textarea')) one.setAttribute('disabled', '');
    // Fields can't be the entries of a list.
    for (const one of fresh.querySelectorAll('ul, ol, li, dl, dt, dd'))
      one.setAttribute('role', one.hasAttribute('aria-label') ? 'group' : 'none');
    fresh.head.append(Object.assign(fresh.createElement('style'), { textContent: fields + styles }));
    for (const [element, keys] of named)
      if (element.closest('body') && !element.closest('[aria-hidden="true"]')) name(element, [...keys]);
    // A button can't contain anything to press.
    for (const one of fresh.querySelectorAll('button, [role="button"]')) {
      if (!one.querySelector('a, button, input:not(:disabled), [data-words]')) continue;
      one.setAttribute('role', 'group');
      one.setAttribute('aria-label', one.getAttribute('aria-label') ?? one.textContent);
      if (one.matches('[data-words]'))
        one.setAttribute('aria-description', 'Enter opens it beside the page.');
    }
  }

  function name(element: Element, keys: string[]): void {
    const [found] = keys.flatMap((key) => model.find(key) ?? []);
    if (!found) return;
    // A heading has its phrases in elements.
    const whole = [element, element.parentElement].find((one) => one?.textContent === found.value);
    if (whole && keys.length === 1 && !element.closest('button, label, svg')) {
      makeField(whole, found, model.typedIn(found));
      return;
    }
    element.setAttribute('data-words', keys.join(' '));
    element.setAttribute('tabindex', '0');
    element.setAttribute('role', 'button');
    element.setAttribute('aria-label', `${found.label}: ${element.textContent}`);
    if (found.refused?.why) element.setAttribute('data-why', found.refused.why);
  }

  return () => {
    if (!model.state.html) return;
    const fresh = new DOMParser().parseFromString(model.state.html, 'text/html');
    prepare(fresh);
    // Only what's different, so that the page stays where she is.
    morph(page.documentElement, fresh.documentElement);
  };
}

/** A photo dropped anywhere becomes hers; otherwise, the browser would leave the editor for it. */
export function listenToDrops(document: Document, panel: Panel): void {
  document.addEventListener('dragover', (event) => event.preventDefault());
  document.addEventListener('drop', (event) => {
    event.preventDefault();
    void panel.use(event.dataTransfer?.files[0]);
  });
}

const outwards = (one: Element | null): Element[] => (one ? [one, ...outwards(one.parentElement)] : []);

const keysIn = (element: Element): string[] =>
  [element, ...element.querySelectorAll('[data-words]')].flatMap(
    (one) => one.getAttribute('data-words')?.split(' ') ?? [],
  );

function common(keys: string[]): string {
  const [first = [], ...others] = keys.map((key) => key.split('.'));
  const end = first.findIndex((name, at) => others.some((other) => other[at] !== name));
  return first.slice(0, end === -1 ? first.length : end).join('.');
}
