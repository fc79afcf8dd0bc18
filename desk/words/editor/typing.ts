import type { DraftField } from '../draft.ts';
import { writtenNumber } from '../values.ts';
import type { Model } from './model.ts';

// Texts are edited in place, on the page and in the panel alike. An element's `data-words` says which text it is.

/** Firefox before 136 doesn't have `plaintext-only`; input is made plain below in any case. */
const EDITABLE = CSS.supports('-webkit-user-modify', 'read-write-plaintext-only') ? 'plaintext-only' : 'true';

/** In letters, many times what any text of the page has. */
const MOST_PASTED = 100_000;

/** A text has one line. From slides, its breaks come as other, invisible characters. */
const oneLine = (text: string) => text.replace(/\s*[\p{Cc}\u2028\u2029]+\s*/gu, ' ');

/** French has a space before these marks, and no line may begin with one. Safari 15.6 has no look-behind. */
const unbroken = (text: string) => text.replace(/« | (?=[:;?!»%])/g, (found) => found.replace(' ', '\u00a0'));

/** Makes an element the field of a text, with what she typed there last. */
export function makeField(element: Element, { key, kind, label, refused }: DraftField, typed: string): void {
  const attributes = {
    'data-words': key,
    contenteditable: EDITABLE,
    role: 'textbox',
    tabindex: '0',
    // A browser that translates the desk would type its own words into it.
    translate: 'no',
    enterkeyhint: 'done',
    'aria-label': refused ? `${label}. ${refused.why}` : label,
    ...(kind === 'number' && { inputmode: 'numeric' }),
    ...(refused && { 'data-why': refused.why, 'aria-invalid': 'true' }),
  };
  for (const [name, one] of Object.entries(attributes)) element.setAttribute(name, one);
  setText(element, typed);
}

/** A drawing may stand beside the text, and phrases of the text that never break may be elements. */
function setText(element: Element, text: string): void {
  if (element.textContent === text) return;
  const [first, ...others] = [...element.childNodes].filter(({ textContent }) => textContent);
  for (const one of others) one.remove();
  if (first) first.replaceWith(text);
  else element.append(text);
}

export function listenToTyping(document: Document, model: Model): void {
  /** What the field that she's in had when she came. */
  let before = '';
  /** The field that she left with a key, until she's in another one. */
  let ended: HTMLElement | undefined;
  const fieldOf = ({ target }: Event) =>
    (target as Element | null)?.closest?.<HTMLElement>('[contenteditable][data-words]');

  function changed(element: HTMLElement): void {
    const { words = '' } = element.dataset;
    const text = element.textContent ?? '';
    const number = model.find(words)?.kind === 'number' ? writtenNumber(text) : Number.NaN;
    model.typed(words, Number.isNaN(number) ? unbroken(oneLine(text).trim()) : number);
  }

  document.addEventListener('focusin', (event) => {
    const element = fieldOf(event);
    before = element?.textContent ?? '';
    ended = undefined;
    if (element) model.enter(element.dataset.words ?? '');
  });
  document.addEventListener('focusout', model.left);
  document.addEventListener('input', (event) => {
    const element = fieldOf(event);
    if (element) changed(element);
  });
  document.addEventListener('beforeinput', (event) => {
    const isPlain = !/^(format|insert(Paragraph|LineBreak|FromDrop|Link|.*List))/.test(event.inputType);
    if (fieldOf(event) && !isPlain) event.preventDefault();
  });
  document.addEventListener('paste', (event) => {
    const { words } = fieldOf(event)?.dataset ?? {};
    if (!words) return;
    event.preventDefault();
    const text = oneLine(event.clipboardData?.getData('text/plain') ?? '');
    if (text.length > MOST_PASTED)
      return model.say(
        `${model.find(words)?.label}: what you pasted is too long for the page, and was left out.`,
      );
    // As if typed, so that it can be undone. A picture takes no text away.
    if (text) document.execCommand('insertText', false, text);
  });
  document.addEventListener('keydown', (event) => {
    const element = fieldOf(event);
    // Safari would go on at the top of the page.
    if (event.key === 'Tab' && event.target === document.body) ended?.focus({ preventScroll: true });
    // Safari reports the key that ends a composition only by this number.
    if (!element || event.isComposing || event.keyCode === 229) return;
    if (event.key === 'Enter' || event.key === 'Escape') {
      event.preventDefault();
      if (event.key === 'Escape' && element.textContent !== before) {
        setText(element, before);
        changed(element);
      }
      element.blur();
      ended = element;
    } else if (event.key === ' ' && element.closest('summary')) {
      // It would fold the answer.
      event.preventDefault();
      document.execCommand('insertText', false, ' ');
    }
  });
}
