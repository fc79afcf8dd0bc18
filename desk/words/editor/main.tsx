import './editor.css';
import { StrictMode, useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { createRoot } from 'react-dom/client';
import type { Outline } from '../outline.ts';
import type { Arrangement } from '../own-words.ts';
import type { EditorState } from '../words-page.ts';
import { Arrange, Editing, Field, isLeaf } from './fields.tsx';
import { type Clicked, PagePreview } from './PagePreview.tsx';
import { Panel } from './Panel.tsx';
import { PhotoField } from './PhotoField.tsx';
import { type Ask, desk, NotSaved } from './words-client.ts';

const root = document.getElementById('editor');
type Theme = 'light' | 'dark';

function Editor() {
  const [state, setState] = useState<EditorState>();
  const [version, setVersion] = useState(0);
  const [theme, setTheme] = useState<Theme>(
    matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light',
  );
  const [isPhone, setIsPhone] = useState(innerWidth < 960);
  const [clicked, setClicked] = useState<Clicked & { dropped?: File }>();
  const [shown, setShown] = useState<ReadonlySet<string>>(new Set());
  const [sought, setSought] = useState<string>();
  const [said, setSaid] = useState('');
  const later = useRef<ReturnType<typeof setTimeout>>(undefined);
  const page = useRef<HTMLDivElement>(null);

  const ask: Ask = useCallback(async (asked) => {
    const fresh = await asked();
    setState(fresh);
    setSaid('');
    setVersion((last) => last + 1);
    // Pictures, and glyphs that are new to the page, take longer than its words, which are shown first.
    clearTimeout(later.current);
    later.current = setTimeout(() => {
      desk.whole().then(
        () => setVersion((last) => last + 1),
        ({ message }: Error) => setSaid(message),
      );
    }, 600);
  }, []);

  /** Says at the top what came of it. */
  const tell = useCallback(
    (asked: Parameters<Ask>[0], before: string, after: string) => {
      setSaid(before);
      ask(asked).then(
        () => setSaid(after),
        (error: unknown) => setSaid(error instanceof NotSaved ? error.message : String(error)),
      );
    },
    [ask],
  );

  useEffect(() => tell(desk.state, '', ''), [tell]);
  useEffect(() => {
    function step(event: KeyboardEvent) {
      const isStep = (event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'z';
      // In a box, the browser undoes what was typed there.
      if (!isStep || (event.target as Element).closest('input, textarea')) return;
      event.preventDefault();
      tell(event.shiftKey ? desk.redo : desk.undo, '', '');
    }
    addEventListener('keydown', step);
    return () => removeEventListener('keydown', step);
  }, [tell]);

  const all = useMemo(() => allOf(state?.parts ?? []), [state]);
  const own = useMemo(() => new Set(all.filter((one) => isLeaf(one) && one.isOwn).map(nameOf)), [all]);
  const editing = useMemo(() => ({ ask, places: state?.places ?? {} }), [ask, state]);

  if (!state)
    return <p className="waiting">{said ? `${said} Then reload this page.` : 'Getting the page ready …'}</p>;

  const close = () => {
    setClicked(undefined);
    page.current?.querySelector('iframe')?.focus();
  };
  return (
    <Editing value={editing}>
      <div className="tools">
        <button
          type="button"
          disabled={!state.undo}
          onClick={() => tell(desk.undo, '', `Undone: ${state.undo}`)}
        >
          Undo{state.undo && <span className="step">: {state.undo}</span>}
        </button>
        <button
          type="button"
          disabled={!state.redo}
          onClick={() => tell(desk.redo, '', `Done again: ${state.redo}`)}
        >
          Redo{state.redo && <span className="step">: {state.redo}</span>}
        </button>
        <button type="button" aria-pressed={isPhone} onClick={() => setIsPhone(!isPhone)}>
          Phone
        </button>
        <button
          type="button"
          aria-pressed={theme === 'dark'}
          onClick={() => setTheme(theme === 'dark' ? 'light' : 'dark')}
        >
          Dark
        </button>
        <button
          type="button"
          className="button"
          onClick={() =>
            tell(desk.publish, 'Publishing …', 'Published. If npm start is running, it shows it now.')
          }
        >
          Publish
          {state.unpublished.length > 0 && ` (${state.unpublished.length})`}
        </button>
        <p role="status">{said}</p>
      </div>
      <div className="page" ref={page}>
        <PagePreview
          {...{ theme, isPhone, version, own, sought }}
          onFound={(box) => {
            setSought(undefined);
            setClicked((now) => now && { ...now, box });
          }}
          onClick={setClicked}
          onDrop={(dropped) =>
            setClicked({ paths: [], isPhoto: true, box: new DOMRect(40, 120, 0, 0), dropped })
          }
          onShown={(paths) => setShown(new Set(paths))}
        />
        {clicked && (
          <Beside
            key={clicked.paths.join()}
            {...{ clicked, all, state, close }}
            open={(paths) => {
              setClicked({ ...clicked, paths });
              setSought(paths[0]);
            }}
          />
        )}
      </div>
      <Panel
        {...{ state, all, shown }}
        onOpen={(paths) => setClicked({ paths, isPhoto: false, box: new DOMRect(40, 120, 0, 0) })}
      />
    </Editing>
  );
}

interface BesideProps {
  clicked: Clicked & { dropped?: File };
  all: Outline[];
  state: EditorState;
  close: () => void;
  open: (paths: string[]) => void;
}

/** The boxes for what was clicked, beside it. */
function Beside({ clicked, all, state, close, open }: BesideProps) {
  const { paths, isPhoto, box, dropped } = clicked;
  const card = useRef<HTMLDivElement>(null);
  const [location, setPlace] = useState({ left: 0, top: 0 });
  // Before it's painted; hidden until then, its box couldn't take the focus.
  useLayoutEffect(() => {
    const of = card.current;
    if (!of) return;
    const put = () => setPlace(beside(box, of));
    put();
    of.querySelector<HTMLElement>('textarea, input')?.focus();
    const observer = new ResizeObserver(put);
    observer.observe(of);
    return () => observer.disconnect();
  }, [box]);

  /** The box stays with an entry that's moved, and goes to one that's added. */
  function follow(list: string, at: number, how: Arrangement) {
    if (how === 'remove') return close();
    const now = `${list}.${how === 'up' ? at - 1 : at + 1}`;
    open(
      paths.map((path) =>
        isWithin(path, `${list}.${at}`) ? now + path.slice(`${list}.${at}`.length) : path,
      ),
    );
  }

  const named = paths.flatMap((path) => all.find((one) => nameOf(one) === path) ?? []);
  // What only stands for another text comes last.
  const found = named.toSorted((one, other) => Number(isPlace(one)) - Number(isPlace(other)));
  const lists = all.flatMap((one) => {
    const at =
      one.kind === 'list'
        ? one.entries.findIndex((entry) => paths.some((path) => isWithin(path, nameOf(entry))))
        : -1;
    return one.kind === 'list' && at >= 0 ? [{ of: one, at }] : [];
  });
  return (
    <div
      ref={card}
      className="slip"
      role="dialog"
      aria-label="Change this"
      style={location}
      onKeyDown={({ key }) => key === 'Escape' && close()}
    >
      <div className="scroller">
        {isPhoto && <PhotoField hasPhoto={state.photo} onDone={close} {...(dropped && { dropped })} />}
        {found.map((one) => (
          <Field key={nameOf(one)} of={one} {...(found.length === 1 && { onDone: close })} />
        ))}
        {lists.map(({ of, at }) => (
          <div key={nameOf(of)}>
            <p className="hint">
              {of.title}: {at + 1} of {of.entries.length}
            </p>
            <Arrange of={of} at={at} onDone={(how) => follow(nameOf(of), at, how)} />
          </div>
        ))}
      </div>
      <button type="button" className="close" onClick={close}>
        Done
      </button>
    </div>
  );
}

/** Below the box if there's room beside the page, else above it; never over the tools. */
function beside(box: DOMRect, of: HTMLElement): { left: number; top: number } {
  const within = (at: number, least: number, size: number, room: number) =>
    Math.max(least, Math.min(at, room - size - 8));
  const below = box.bottom + 10;
  const top = below + of.offsetHeight < innerHeight ? below : box.top - of.offsetHeight - 10;
  const tools = of.parentElement?.getBoundingClientRect().top ?? 0;
  return {
    left: within(box.left, 8, of.offsetWidth, innerWidth),
    top: within(top, Math.max(8, tools + 8), of.offsetHeight, innerHeight),
  };
}

export const nameOf = (outline: Outline) => outline.path.join('.');
const isPlace = (of: Outline) => of.kind === 'text' && /^\{\w+\}$/.test(of.value);
const isWithin = (path: string, of: string) => path === of || path.startsWith(`${of}.`);

/** Each outline and all in it. */
function allOf(outlines: readonly Outline[]): Outline[] {
  return outlines.flatMap((one) => {
    const inner = one.kind === 'group' ? one.fields : one.kind === 'list' ? one.entries : [];
    return [one, ...allOf(inner)];
  });
}

if (root)
  createRoot(root).render(
    <StrictMode>
      <Editor />
    </StrictMode>,
  );
