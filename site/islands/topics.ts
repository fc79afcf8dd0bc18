// What the visitor marked or asked about. The page itself holds it, so it's there before any script and in a native form:
// the problems' checkboxes, and the list at the head of the form, which has the packages and a colleague's marks, too.
import { pageData } from './page-data.ts';

const OWN = 'data-own';
const THEIRS = 'data-theirs';

const boxes = () => [...document.querySelectorAll<HTMLInputElement>('h3 [type=checkbox]')];
const listed = () => [...document.querySelectorAll<HTMLElement>('#contact-topics li')];

/** From the list's entries, in the page's own language, even if a translator changed what shows. */
function topicsOf(which: string): string[] {
  return listed().flatMap((entry) => (entry.matches(which) ? (entry.dataset.topic ?? '') : []));
}

export const ownTopics = (): string[] => topicsOf(`[${OWN}]`);

/** As they're sent. If two people marked some, says who marked what. */
export function readTopics(): string[] {
  const { both, oneOfUs } = pageData.form;
  if (topicsOf(`[${THEIRS}]`).length === 0) return ownTopics();
  const compared = Object.entries({
    [both]: topicsOf(`[${OWN}][${THEIRS}]`),
    [oneOfUs]: topicsOf(`[value][${OWN}]:not([${THEIRS}]),[${THEIRS}]:not([${OWN}])`),
  });
  const lines = compared.flatMap(([label, topics]) =>
    topics.length > 0 ? `${label}: ${topics.join('; ')}` : [],
  );
  return [...topicsOf(`[${OWN}]:not([value])`), lines.join(' / ')];
}

const tell = () => document.dispatchEvent(new Event('change'));

export function chooseTopic(topic: string, isChosen: boolean): void {
  for (const box of boxes()) if (box.value === topic) box.checked = isChosen;
  for (const entry of listed()) if (entry.dataset.topic === topic) entry.toggleAttribute(OWN, isChosen);
  tell();
}

/** "Ask about this blueprint" marks its sheet instead of another. */
export function noteAskedPackage(): void {
  document.addEventListener('click', ({ target }) => {
    if (!(target instanceof Element)) return;
    const asked = target.closest('article a')?.closest('article')?.dataset.topic;
    if (!asked) return;
    for (const entry of listed())
      if (!entry.hasAttribute('value')) entry.toggleAttribute(OWN, entry.dataset.topic === asked);
    tell();
  });
}

/** Marks every spot of the plan, wherever it's shown, and whether there are any. */
export function markTicked(): void {
  const all = boxes();
  for (const place of document.querySelectorAll('[data-marks]'))
    for (const [at, { checked }] of all.entries()) place.children[at]?.toggleAttribute(OWN, checked);
  const section = all[0]?.closest('section');
  section?.toggleAttribute('data-ticked', section.querySelector(`:checked, [${THEIRS}]`) !== null);
}

/** The numbers on a plan look like buttons, so they act like buttons, even in the form. The checkboxes are there for everybody. */
export function tickBySpot(): void {
  document.addEventListener('click', ({ target }) => {
    const spot = target instanceof Element && target.closest('[data-marks] > b');
    if (spot && !spot.closest('[aria-busy]'))
      boxes()[[...(spot.parentElement?.children ?? [])].indexOf(spot)]?.click();
  });
}

/** Clears what was sent, and the colleague's marks. */
export function forgetTopics(sent: readonly string[]): void {
  for (const topic of sent) chooseTopic(topic, false);
  for (const mark of document.querySelectorAll(`[data-marks] > [${THEIRS}]`)) mark.removeAttribute(THEIRS);
  tell();
}

/** Each entry's button removes it. */
export function removeOnDemand(form: HTMLFormElement): void {
  form.querySelector('ol')?.addEventListener('click', ({ target }) => {
    const entry = target instanceof Element && target.closest('button')?.closest('li');
    if (!entry || form.hasAttribute('aria-busy')) return;
    const left = listed().filter((other) => other !== entry && other.matches(`[${OWN}],[${THEIRS}]`));
    const at = listed().indexOf(entry);
    for (const place of document.querySelectorAll('[data-marks]'))
      place.children[at]?.removeAttribute(THEIRS);
    chooseTopic(entry.dataset.topic ?? '', false);
    // The button is gone, and the focus would be too.
    const next = left.find((other) => listed().indexOf(other) > at) ?? left.at(-1);
    (next?.querySelector('button') ?? form.querySelector('textarea'))?.focus();
  });
}
