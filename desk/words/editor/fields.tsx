import { createContext, type ReactNode, useContext, useId, useState } from 'react';
import type { Outline } from '../outline.ts';
import type { Arrangement } from '../own-words.ts';
import type { EditorState } from '../words-page.ts';
import { writtenNumber } from '../written-number.ts';
import { TextBox } from './TextBox.tsx';
import { type Ask, desk, NotSaved } from './words-client.ts';

type Of<Kind extends Outline['kind']> = Extract<Outline, { kind: Kind }>;
type Leaf = Exclude<Outline, { kind: 'group' | 'list' }>;

export const Editing = createContext<{ ask: Ask; places: EditorState['places'] }>({
  ask: async () => {},
  places: {},
});

export function isLeaf(outline: Outline): outline is Leaf {
  return outline.kind !== 'group' && outline.kind !== 'list';
}

/** Asks the desk, and keeps why it refused until the next try. */
function useAsking(): [why: string, ask: (...asked: Parameters<Ask>) => Promise<boolean>, clear: () => void] {
  const { ask } = useContext(Editing);
  const [why, setWhy] = useState('');
  const asking = async (asked: Parameters<Ask>[0]) => {
    setWhy('');
    try {
      await ask(asked);
      return true;
    } catch (error) {
      if (!(error instanceof NotSaved)) throw error;
      setWhy(error.message);
      // What she sees may be out of date. What she has typed stays in its box.
      ask(desk.state).catch(() => {});
      return false;
    }
  };
  return [why, asking, () => setWhy('')];
}

interface FieldProps {
  of: Outline;
  /** Escape, or Enter once it's saved. */
  onDone?: () => void;
}

/** Whatever stands at a place of the words: a box, or the boxes of a group or list. */
export function Field({ of, onDone }: FieldProps) {
  if (of.kind === 'list') return <ListField of={of} />;
  if (of.kind === 'group')
    return (
      <fieldset className="group">
        <legend>{of.title}</legend>
        {of.help && <p className="hint">{of.help}</p>}
        {of.fields.map((field) => (
          <Field key={field.path.join('.')} of={field} />
        ))}
      </fieldset>
    );
  return <LeafField of={of} {...(onDone && { onDone })} />;
}

function LeafField({ of, onDone }: FieldProps & { of: Leaf }) {
  const id = useId();
  const [why, ask, clear] = useAsking();
  const save = async (value: unknown) => {
    const isSaved = value === of.value || (await ask(() => desk.save(of.path, of.value, value)));
    if (isSaved) onDone?.();
    return isSaved;
  };
  const canGoBack = of.isOwn && of.ours !== undefined && of.kind !== 'flag';
  return (
    <div className="leaf">
      <Input of={of} id={id} invalid={why !== ''} save={save} clear={clear} onCancel={onDone} />
      <div id={id}>
        {of.help && <p className="hint">{of.help}</p>}
        <p className="why" role="alert">
          {why}
        </p>
      </div>
      {of.isOwn && (
        <p className="own">
          Changed by you.{' '}
          {canGoBack && (
            <button type="button" onClick={() => void ask(() => desk.save(of.path, of.value, of.ours))}>
              Back to “{String(of.ours) || 'nothing'}”
            </button>
          )}
        </p>
      )}
    </div>
  );
}

interface InputProps {
  of: Leaf;
  /** Of what describes it. */
  id: string;
  invalid: boolean;
  save: (value: unknown) => Promise<boolean>;
  clear: () => void;
  onCancel: (() => void) | undefined;
}

function Input({ of, id, invalid, save, clear, onCancel }: InputProps) {
  const { places } = useContext(Editing);
  if (of.kind === 'text')
    return (
      <TextBox
        label={of.title}
        value={of.value}
        places={of.places}
        wordsOf={places}
        {...{ invalid, onCancel }}
        describedBy={id}
        onSave={(text) => void save(text)}
        onType={clear}
      />
    );
  if (of.kind === 'number')
    return (
      <NumberBox
        of={of}
        unit={of.unit === 'currency' ? places.currency : of.unit}
        {...{ id, invalid, save, clear }}
      />
    );
  if (of.kind === 'choice')
    return (
      <label className="line">
        {of.title}
        <select value={of.value} aria-describedby={id} onChange={({ target }) => void save(target.value)}>
          {of.options.map((option) => (
            <option key={option}>{option}</option>
          ))}
        </select>
      </label>
    );
  return (
    <label className="line">
      <input
        type="checkbox"
        checked={of.value}
        aria-describedby={id}
        onChange={({ target }) => void save(target.checked)}
      />
      {of.title}
    </label>
  );
}

type NumberProps = Pick<InputProps, 'id' | 'invalid' | 'save' | 'clear'> & {
  of: Of<'number'>;
  unit: string | undefined;
};

function NumberBox({ of, unit, id, invalid, save, clear }: NumberProps) {
  const [typed, setTyped] = useState<string>();
  const done = async () => {
    if (typed === undefined) return;
    const number = writtenNumber(typed);
    if (await save(Number.isNaN(number) ? typed : number)) setTyped(undefined);
  };
  return (
    <label className="line">
      {of.title}
      <span className="unit">
        <input
          inputMode="numeric"
          size={7}
          value={typed ?? of.value}
          aria-describedby={id}
          aria-invalid={invalid}
          onChange={({ target }) => {
            setTyped(target.value);
            clear();
          }}
          onBlur={() => void done()}
          onKeyDown={({ key }) => {
            if (key === 'Enter') void done();
            if (key !== 'Escape') return;
            setTyped(undefined);
            clear();
          }}
        />{' '}
        {unit}
      </span>
    </label>
  );
}

function ListField({ of }: { of: Of<'list'> }) {
  const [why, ask] = useAsking();
  const count = of.entries.length;
  return (
    <fieldset className="group">
      <legend>{of.title}</legend>
      {of.help && <p className="hint">{of.help}</p>}
      {of.entries.map((entry, at) => (
        <div className="entry" key={entry.path.join('.')}>
          {isLeaf(entry) ? <Field of={entry} /> : <Folded title={entry.title}>{insideOf(entry)}</Folded>}
          <EntryButtons of={of} at={at} ask={ask} />
        </div>
      ))}
      <p className="why" role="alert">
        {why}
      </p>
      {of.least === of.most ? (
        <p className="hint">There are always {count} of these, since each has its drawing.</p>
      ) : (
        of.isOwn && (
          <p className="own">This list is yours: what an update changes in it doesn’t show by itself.</p>
        )
      )}
    </fieldset>
  );
}

function insideOf(entry: Outline): ReactNode {
  return entry.kind === 'group' ? (
    entry.fields.map((field) => <Field key={field.path.join('.')} of={field} />)
  ) : (
    <Field of={entry} />
  );
}

function Folded({ title, children }: { title: string; children: ReactNode }) {
  return (
    <details>
      <summary>{title}</summary>
      {children}
    </details>
  );
}

interface EntryProps {
  of: Of<'list'>;
  at: number;
  ask: (...asked: Parameters<Ask>) => Promise<boolean>;
  /** Once it's done. */
  onDone?: (how: Arrangement) => void;
}

/** What can be done with an entry at its place. */
function EntryButtons({ of, at, ask, onDone }: EntryProps) {
  const count = of.entries.length;
  const name = of.entries[at]?.title;
  const arrange = async (how: Arrangement) => {
    if (await ask(() => desk.arrange(of.path, of.seen, at, how))) onDone?.(how);
  };
  const button = (words: string, how: Arrangement, isPossible: boolean) =>
    isPossible && (
      <button type="button" aria-label={`${words}: ${name}`} onClick={() => void arrange(how)}>
        {words}
      </button>
    );
  return (
    <p className="arrange">
      {button('Move up', 'up', at > 0)}
      {button('Move down', 'down', at < count - 1)}
      {button('Add one after it', 'add', count < of.most)}
      {button('Remove', 'remove', count > of.least)}
    </p>
  );
}

/** The buttons of an entry that's open beside the page. */
export function Arrange({ of, at, onDone }: Omit<EntryProps, 'ask'>) {
  const [why, ask] = useAsking();
  return (
    <>
      <EntryButtons of={of} at={at} ask={ask} {...(onDone && { onDone })} />
      <p className="why" role="alert">
        {why}
      </p>
    </>
  );
}
