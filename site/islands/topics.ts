// What the visitor ticked or asked about. The page itself holds it, so it's there before any script and in a native form.
import { pageData } from './page-data.ts';

const ASKED = '[data-asked]';

/** In the page's own language, whatever a translator made of what is shown. */
export function readTopics(): string[] {
  const ticked = [...document.querySelectorAll<HTMLInputElement>('h3 :checked')].map(({ value }) => value);
  return [...ticked, ...askedTopics()];
}

/** Packages: they have no checkbox that would travel with a native form. */
export function askedTopics(): string[] {
  return [...document.querySelectorAll<HTMLElement>(ASKED)].map(({ dataset }) => dataset.topic ?? '');
}

export function chooseTopic(topic: string, isChosen: boolean): void {
  const all = document.querySelectorAll<HTMLElement>('h3 input, [data-topic]');
  for (const place of all) {
    if (place instanceof HTMLInputElement && place.value === topic) place.checked = isChosen;
    else if (place.dataset.topic === topic) place.toggleAttribute('data-asked', isChosen);
  }
  tell();
}

/** As when the visitor ticks one. */
function tell(): void {
  document.dispatchEvent(new Event('change'));
}

/** "Ask about this blueprint" marks its sheet in place of another. */
export function noteAskedPackage(): void {
  document.addEventListener('click', ({ target, ctrlKey, metaKey, shiftKey }) => {
    // With a key, the link opens elsewhere.
    if (!(target instanceof Element) || ctrlKey || metaKey || shiftKey) return;
    const asked = target.closest('article a')?.closest('article');
    if (!asked) return;
    for (const sheet of document.querySelectorAll('[data-topic]')) {
      sheet.toggleAttribute('data-asked', sheet === asked);
    }
    tell();
  });
}

/** On everything around what's ticked, for styles in browsers that can't look into it. */
export function markTicked(): void {
  for (const box of document.querySelectorAll('h3 input'))
    for (const around of [box.closest('li'), box.closest('section')])
      around?.toggleAttribute('data-ticked', around.querySelector(':checked') !== null);
}

/** Shows above the message what its first line will name, each with a button that takes it away. */
export function listTopics(form: HTMLFormElement): void {
  const place = document.getElementById('contact-topics');
  const list = place?.querySelector('ul');
  if (!place || !list) return;
  const topics = readTopics();
  place.hidden = topics.length === 0;
  list.replaceChildren(
    ...topics.map((topic) => {
      const item = document.createElement('li');
      const remove = document.createElement('button');
      remove.type = 'button';
      remove.disabled = form.hasAttribute('aria-busy');
      remove.setAttribute('aria-label', pageData.form.remove.replace('{topic}', topic));
      remove.addEventListener('click', () => {
        const at = topics.indexOf(topic);
        chooseTopic(topic, false);
        // The button is gone, and the focus would be too.
        const left = list.querySelectorAll('button');
        (left[Math.min(at, left.length - 1)] ?? form.querySelector('textarea'))?.focus();
      });
      item.append(topic, remove);
      return item;
    }),
  );
}
