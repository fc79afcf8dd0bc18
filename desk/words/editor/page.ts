import { morph } from './elements.ts';
import { keyOf, type Model, type Path } from './model.ts';

// The page as visitors see it, in a frame, with its texts as fields. Nothing in it runs, and nothing is wrapped: what
// an element is for its texts stands in its attributes.

interface Handlers {
  /** A text is being typed in. */
  onEnter: (path: Path) => void;
  /** Something that's changed beside the page was pressed: the keys of what it shows, and its text. */
  onOpen: (keys: string[], text: string) => void;
  onPhoto: (file: File) => void;
}

/** Before and after each text, from the desk. */
const MARK = /\ue001(\d+)\ue002|\ue003/g;

/** Where one can type, and what's refused. */
const HINTS = `
[data-words]{cursor:pointer}
[contenteditable]{cursor:text;min-width:1ch;white-space-collapse:preserve}
[data-words]:hover{outline:1px dashed #c4500b;outline-offset:3px}
[data-words]:focus{outline:2px solid #c4500b;outline-offset:3px}
[contenteditable]:empty::before{content:"…"}
[data-why]{outline:2px solid #c4122b!important;outline-offset:3px}
[data-why]::after{content:"! " attr(data-why);display:block;margin-top:.4em;padding:.3em .5em;background:#fff1f2;
color:#a3122b;font:600 15px/1.4 Archivo,sans-serif;letter-spacing:0;text-transform:none;white-space:normal}
:is(input,textarea,button){pointer-events:none}
button[data-words]{pointer-events:auto}
img[src*="/photos/"]{aspect-ratio:4/5;object-fit:cover}
@supports not (white-space-collapse:preserve){[contenteditable]:focus{white-space:pre-wrap}}`;

/** Firefox before 136 knows no plain text alone; what comes in is made plain below in any case. */
function howToEdit(): string {
  const one = document.createElement('p');
  one.setAttribute('contenteditable', 'plaintext-only');
  return one.contentEditable === 'plaintext-only' ? 'plaintext-only' : 'true';
}

/** A text has one line. */
export const oneLine = (text: string) => text.replace(/[\t\r\n]+/g, ' ').trim();

export function openPage(frame: HTMLIFrameElement, model: Model, { onEnter, onOpen, onPhoto }: Handlers) {
  const page = frame.contentDocument;
  if (!page) throw new Error('The frame has no page');
  const editable = howToEdit();
  let before = '';

  const field = (target: EventTarget | null) =>
    (target as Element | null)?.closest?.<HTMLElement>('[contenteditable]') ?? undefined;
  const keysOf = (element: Element) => element.getAttribute('data-words')?.split(' ') ?? [];
  const pathOf = (element: Element) => model.find(keysOf(element)[0] ?? '')?.path ?? [];

  function changed(element: HTMLElement): void {
    const text = element.textContent ?? '';
    // The same text may stand in several places.
    for (const twin of page?.querySelectorAll(`[contenteditable][data-words="${keysOf(element)[0]}"]`) ?? [])
      if (twin !== element) twin.textContent = text;
    model.typed(pathOf(element), oneLine(text));
  }

  page.addEventListener('focusin', ({ target }) => {
    const element = field(target);
    if (!element) return;
    before = element.textContent ?? '';
    model.enter(pathOf(element));
    onEnter(pathOf(element));
  });
  page.addEventListener('focusout', () => model.flush());
  page.addEventListener('input', ({ target }) => {
    const element = field(target);
    if (element) changed(element);
  });
  page.addEventListener('beforeinput', (event) => {
    if (/^(format|insert(Paragraph|LineBreak|FromDrop|FromPaste|Link|OrderedList))/.test(event.inputType))
      event.preventDefault();
  });
  page.addEventListener('paste', (event) => {
    event.preventDefault();
    const text = event.clipboardData?.getData('text/plain') ?? '';
    // As if typed, so that it can be undone.
    page.execCommand('insertText', false, text.replace(/\s*[\t\r\n]+\s*/g, ' '));
  });
  page.addEventListener('keydown', (event) => {
    const target = event.target as HTMLElement;
    const element = field(target);
    if (event.isComposing) return;
    if (element && (event.key === 'Enter' || event.key === 'Escape')) {
      event.preventDefault();
      if (event.key === 'Escape') {
        element.textContent = before;
        changed(element);
      }
      element.blur();
    } else if (element?.closest('summary') && event.key === ' ') {
      // It would fold the answer.
      event.preventDefault();
      page.execCommand('insertText', false, ' ');
    } else if (!element && /^(Enter| )$/.test(event.key) && target.dataset.words) {
      event.preventDefault();
      onOpen(keysOf(target), target.textContent ?? '');
    }
  });
  page.addEventListener('click', (event) => {
    event.preventDefault();
    const target = event.target as Element;
    if (field(target)) return;
    const under = page.elementsFromPoint(event.clientX, event.clientY);
    const typed = under.map(field).find((one) => one);
    // A picture may lie over words.
    if (typed && !target.closest('[data-words]')) typed.focus();
    else onOpen(keysAround(target), target.textContent ?? '');
  });
  page.addEventListener('dragover', (event) => event.preventDefault());
  page.addEventListener('drop', (event) => {
    event.preventDefault();
    const [file] = event.dataTransfer?.files ?? [];
    if (file) onPhoto(file);
  });

  /** What's pressed, or what's common to all around it: a number has no name, but its neighbours have. */
  function keysAround(target: Element): string[] {
    if (target.closest('#about-founder picture, #about-founder img')) return ['founder.photo'];
    for (let around: Element | null = target; around; around = around.parentElement) {
      const keys = [around, ...around.querySelectorAll('[data-words]')].flatMap(keysOf);
      if (keys.length > 0) return around === target ? keys : [common(keys)];
    }
    return [];
  }

  /** Names the texts of a page that came from the desk, and makes fields of them. */
  function prepare(fresh: Document): void {
    for (const script of fresh.querySelectorAll('script, body noscript, meta[http-equiv]')) script.remove();
    for (const without of fresh.querySelectorAll('noscript')) without.replaceWith(...without.childNodes);
    const named = new Map<Element, Set<string>>();
    const note = (element: Element | null, marked: string) => {
      for (const [, number] of marked.matchAll(MARK)) {
        const { path } = model.state.fields[Number(number)] ?? {};
        if (element && path) named.set(element, (named.get(element) ?? new Set()).add(keyOf(path)));
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
          attribute.value = note(/^(img|svg)$/i.test(element.tagName) ? element : null, attribute.value);
    }
    for (const folded of fresh.querySelectorAll('details')) folded.open = true;
    for (const one of fresh.querySelectorAll('a, button, input, textarea, summary, [tabindex]'))
      one.setAttribute('tabindex', '-1');
    // Fields can't be the entries of a list.
    for (const one of fresh.querySelectorAll('ul, ol, li, dl, dt, dd')) one.setAttribute('role', 'none');
    fresh.head.append(Object.assign(fresh.createElement('style'), { textContent: HINTS }));
    for (const [element, keys] of named) if (fresh.body.contains(element)) asField(element, [...keys]);
  }

  function asField(element: Element, keys: string[]): void {
    const found = model.find(keys[0] ?? '');
    if (!found) return;
    const { label, path } = found;
    const text = element.textContent ?? '';
    const isTyped =
      keys.length === 1 && text === model.valueOf(path) && !element.closest('button, label, svg');
    const refused = model.refusedAt(path);
    const attributes = {
      'data-words': keys.join(' '),
      tabindex: '0',
      ...(isTyped
        ? { contenteditable: editable, role: 'textbox', 'aria-label': label, enterkeyhint: 'done' }
        : { role: 'button', 'aria-label': `${label}: ${text}` }),
      ...(refused && { 'data-why': refused.why, 'aria-invalid': 'true' }),
    };
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    if (isTyped && refused) element.textContent = String(refused.value);
  }

  return {
    /** Puts in what's different, so that the page stays where she is, and nothing that she types in is touched. */
    show(): void {
      const fresh = new DOMParser().parseFromString(model.state.html, 'text/html');
      prepare(fresh);
      morph(page.documentElement, fresh.documentElement);
    },
    /** Shows another text in a field than the one that she typed. */
    put(path: Path, text: unknown): void {
      for (const one of page.querySelectorAll(`[contenteditable][data-words="${keyOf(path)}"]`))
        one.textContent = String(text);
    },
  };
}

function common(keys: string[]): string {
  const [first = [], ...others] = keys.map((key) => key.split('.'));
  const end = first.findIndex((name, at) => others.some((other) => other[at] !== name));
  return first.slice(0, end === -1 ? first.length : end).join('.');
}
