import { type RefObject, useEffect, useRef } from 'react';

/** The element that was clicked, and the paths of the words in it; or the portrait. */
export interface Clicked {
  paths: string[];
  isPhoto: boolean;
  /** In the window, in pixels. */
  box: DOMRect;
}

interface Props {
  theme: 'light' | 'dark';
  isPhone: boolean;
  /** Changes when the page has to be fetched anew. */
  version: number;
  /** The paths of texts that differ from those that came with the project. */
  own: ReadonlySet<string>;
  onClick: (clicked: Clicked) => void;
  onDrop: (file: File) => void;
  /** The paths of all words that can be clicked. */
  onShown: (paths: string[]) => void;
  /** The path of what the box follows to another place of the page. */
  sought: string | undefined;
  /** Where it is now, in the window. */
  onFound: (box: DOMRect) => void;
}

/** The least width at which the page has its layout for desktops, in pixels. */
const DESKTOP = 1280;

/** What shows where one can click, and what she has changed. The page's own styles can't reach it. */
const HINTS = `
[data-words]{cursor:text}
[data-words]:is(:hover,:focus-visible){outline:2px dashed #ff7a2b!important;outline-offset:3px!important}
[data-changed]{text-decoration:underline dotted #ff7a2b 2px!important;text-underline-offset:.25em!important}
form :is(input,textarea,button){pointer-events:none}`;

/** The page itself, with her words. */
export function PagePreview(props: Props) {
  const { theme, isPhone, version } = props;
  const frame = useRef<HTMLIFrameElement>(null);
  const scale = useScale(frame, isPhone);
  const shown = useRef({ theme, version: -1 });
  const handlers = useRef(props);
  handlers.current = props;
  const address = `/desk/words/page/${theme}/`;

  // biome-ignore lint/correctness/useExhaustiveDependencies: what prepares the page only reads what's current
  useEffect(() => {
    const page = frame.current?.contentDocument;
    if (!page || shown.current.theme !== theme || shown.current.version === -1) return;
    // The newest answer wins, whichever comes last.
    shown.current = { theme, version };
    void fetch(address)
      .then((response) => response.text())
      .then((html) => {
        if (shown.current.version === version && shown.current.theme === theme) replace(page, html);
        prepare(page);
      });
  }, [address, theme, version]);

  function prepare(page: Document) {
    const { own: changed, sought, onFound } = handlers.current;
    for (const folded of page.querySelectorAll('details')) folded.open = true;
    const named = [...page.querySelectorAll<HTMLElement>('[data-words]')];
    for (const element of named) {
      if (pathsOf(element).some((path) => changed.has(path))) element.dataset.changed = '';
      if (!element.closest('a, button, summary, label')) element.tabIndex = 0;
    }
    handlers.current.onShown(named.filter((element) => element.checkVisibility()).flatMap(pathsOf));
    const found =
      sought && named.find((one) => pathsOf(one).some((path) => `${path}.`.startsWith(`${sought}.`)));
    if (!found) return;
    found.scrollIntoView({ block: 'center' });
    onFound(inWindow({ paths: [], isPhoto: false, box: found.getBoundingClientRect() }).box);
  }

  function loaded() {
    const page = frame.current?.contentDocument;
    if (!page?.body || !page.querySelector('[data-words]')) return;
    shown.current = { theme, version };
    page.head.append(Object.assign(page.createElement('style'), { textContent: HINTS }));
    page.addEventListener('click', (event) => {
      event.preventDefault();
      const clicked = find(event.target as Element, event);
      if (clicked) handlers.current.onClick(inWindow(clicked));
    });
    page.addEventListener('keydown', (event) => {
      const target = event.target as HTMLElement;
      if (event.key !== 'Enter' || !target.dataset.words) return;
      event.preventDefault();
      handlers.current.onClick(
        inWindow({ paths: pathsOf(target), isPhoto: false, box: target.getBoundingClientRect() }),
      );
    });
    page.addEventListener('dragover', (event) => event.preventDefault());
    page.addEventListener('drop', (event) => {
      event.preventDefault();
      const [file] = event.dataTransfer?.files ?? [];
      if (file) handlers.current.onDrop(file);
    });
    prepare(page);
  }

  function inWindow(clicked: Clicked): Clicked {
    const { left = 0, top = 0 } = frame.current?.getBoundingClientRect() ?? {};
    const { x, y, width, height } = clicked.box;
    return {
      ...clicked,
      box: new DOMRect(
        left + x * scale.current,
        top + y * scale.current,
        width * scale.current,
        height * scale.current,
      ),
    };
  }

  return (
    <iframe
      ref={frame}
      className={isPhone ? 'preview is-phone' : 'preview'}
      title="Your page"
      src={address}
      onLoad={loaded}
    />
  );
}

/** A laptop has less room beside the panel than the page has on a desk, so it's shown smaller there. */
function useScale(frame: RefObject<HTMLIFrameElement | null>, isPhone: boolean) {
  const scale = useRef(1);
  useEffect(() => {
    const of = frame.current;
    const room = of?.parentElement;
    if (!of || !room) return;
    const fit = () => {
      const { clientWidth, clientHeight } = room;
      scale.current = isPhone ? 1 : Math.min(1, clientWidth / DESKTOP);
      of.style.width = isPhone ? '' : `${clientWidth / scale.current}px`;
      of.style.height = `${clientHeight / scale.current}px`;
      of.style.transform = `scale(${scale.current})`;
    };
    const observer = new ResizeObserver(fit);
    observer.observe(room);
    return () => observer.disconnect();
  }, [frame, isPhone]);
  return scale;
}

const pathsOf = (element: Element) => element.getAttribute('data-words')?.split(' ') ?? [];

/** The words at the place, or those around it: a number has no name, but its neighbours have. */
function find(target: Element, { clientX, clientY }: MouseEvent): Clicked | undefined {
  const portrait = target.closest('#about-founder')?.querySelector('img, picture, svg');
  const isPhoto =
    portrait?.getBoundingClientRect() && inside(portrait.getBoundingClientRect(), clientX, clientY);
  if (portrait && isPhoto)
    return { paths: ['founder.name'], isPhoto: true, box: portrait.getBoundingClientRect() };
  // A picture may lie over words.
  const under = target.ownerDocument.elementsFromPoint(clientX, clientY);
  const exact = [target, ...under]
    .map((one) => one.closest('[data-words]'))
    .find((one) => one?.contains(target) || one);
  const near = target.closest('[data-words]') ?? exact;
  if (near) return { paths: pathsOf(near), isPhoto: false, box: near.getBoundingClientRect() };
  for (let around: Element | null = target; around; around = around.parentElement) {
    const paths = [...around.querySelectorAll('[data-words]')].flatMap(pathsOf);
    if (paths.length > 0)
      return { paths: [commonPath(paths)], isPhoto: false, box: around.getBoundingClientRect() };
  }
  return undefined;
}

function inside({ left, right, top, bottom }: DOMRect, x: number, y: number): boolean {
  return x >= left && x <= right && y >= top && y <= bottom;
}

function commonPath(paths: string[]): string {
  const [first = [], ...others] = paths.map((path) => path.split('.'));
  const end = first.findIndex((key, at) => others.some((other) => other[at] !== key));
  return first.slice(0, end === -1 ? first.length : end).join('.');
}

/** Puts in what has changed, so that the page stays where she is and nothing blinks. */
function replace(page: Document, html: string): void {
  const fresh = new DOMParser().parseFromString(html, 'text/html');
  const links = (of: Document) =>
    [...of.querySelectorAll('link[rel=stylesheet]')].map((link) => link.outerHTML).join();
  if (links(page) !== links(fresh)) {
    const hints = page.head.lastElementChild;
    page.head.replaceChildren(...page.adoptNode(fresh.head).childNodes, ...(hints ? [hints] : []));
  }
  page.body.replaceChildren(...page.adoptNode(fresh.body).childNodes);
}
