import { useContext, useState } from 'react';
import type { Difference } from '../differences.ts';
import type { Outline } from '../outline.ts';
import type { EditorState } from '../words-page.ts';
import { Editing, Field, isLeaf } from './fields.tsx';
import { PhotoField } from './PhotoField.tsx';
import { desk, NotSaved } from './words-client.ts';

interface Props {
  state: EditorState;
  /** Each outline and all in it. */
  all: Outline[];
  /** The paths of the words that can be clicked on the page. */
  shown: ReadonlySet<string>;
  onOpen: (paths: string[]) => void;
}

/** What can't be clicked on the page, and what has been changed. */
export function Panel({ state, all, shown, onOpen }: Props) {
  const [sought, setSought] = useState('');
  const found = sought.trim().length > 1 ? all.filter((one) => isLeaf(one) && holds(one, sought)) : [];
  return (
    <aside className="panel" aria-label="Words that can’t be clicked">
      <p className="hint">
        Click any words of the page to change them. What you’ve changed is underlined with dots. Words that
        the page doesn’t show stand here.
      </p>
      <label className="line">
        Find words
        <input type="search" value={sought} onChange={({ target }) => setSought(target.value)} />
      </label>
      {found.length === 0 && sought.trim().length > 1 && <p className="hint">Nothing found.</p>}
      {found.map((one) => (
        <Field key={one.path.join('.')} of={one} />
      ))}
      <Updated of={state.updated} />
      <Changes of={state.unpublished} onOpen={onOpen} />
      <details>
        <summary>Your photo</summary>
        <PhotoField hasPhoto={state.photo} />
      </details>
      {state.parts.map((part) => {
        const unseen = withoutShown(part, shown);
        return (
          unseen && (
            <details key={part.title + part.path}>
              <summary>{part.title}</summary>
              {unseen.kind === 'group' ? (
                <>
                  {unseen.help && <p className="hint">{unseen.help}</p>}
                  {unseen.fields.map((field) => (
                    <Field key={field.path.join('.')} of={field} />
                  ))}
                </>
              ) : (
                <Field of={unseen} />
              )}
            </details>
          )
        );
      })}
    </aside>
  );
}

/** What has changed in what came with the project, below words of hers. */
function Updated({ of }: { of: Difference[] }) {
  const { ask } = useContext(Editing);
  const [why, setWhy] = useState('');
  if (of.length === 0) return null;
  const take = ({ path, now }: Difference) =>
    ask(() => desk.save(path, now, undefined)).catch((error: unknown) => {
      if (!(error instanceof NotSaved)) throw error;
      setWhy(error.message);
    });
  return (
    <details open={true}>
      <summary>New in this version ({of.length})</summary>
      <p className="hint">You’ve changed these texts, and so has the new version. Yours are shown.</p>
      {of.map((one) => (
        <div className="leaf" key={one.path.join('.')}>
          <b>{one.what}</b>
          <p>Yours: {inWords(one.now)}</p>
          <p>New: {inWords(one.other)}</p>
          <button type="button" onClick={() => void take(one)}>
            Take the new one
          </button>
        </div>
      ))}
      <p className="why" role="alert">
        {why}
      </p>
    </details>
  );
}

function Changes({ of, onOpen }: { of: Difference[]; onOpen: Props['onOpen'] }) {
  if (of.length === 0) return null;
  return (
    <details>
      <summary>Not on the published page yet ({of.length})</summary>
      {of.map((one) => (
        <div className="leaf" key={one.path.join('.')}>
          <button type="button" onClick={() => onOpen([one.path.join('.')])}>
            {one.what}
          </button>
          <p>
            <del>{inWords(one.other)}</del> <ins>{inWords(one.now)}</ins>
          </p>
        </div>
      ))}
    </details>
  );
}

function inWords(value: unknown): string {
  if (Array.isArray(value)) return value.length === 1 ? 'one entry' : `${value.length} entries`;
  return typeof value === 'object' ? 'nothing' : String(value ?? 'nothing');
}

function holds(leaf: Outline, sought: string): boolean {
  const text = 'value' in leaf ? `${leaf.title} ${leaf.value}` : leaf.title;
  return text.toLowerCase().includes(sought.trim().toLowerCase());
}

/** An outline without what can be clicked. A list stays whole, where its entries are moved. */
function withoutShown(outline: Outline, shown: ReadonlySet<string>): Outline | undefined {
  if (isLeaf(outline)) return shown.has(outline.path.join('.')) ? undefined : outline;
  if (outline.kind === 'list') {
    const hidden = outline.entries.some((entry) => withoutShown(entry, shown));
    return hidden || outline.entries.length === 0 || outline.least !== outline.most ? outline : undefined;
  }
  const fields = outline.fields.flatMap((field) => withoutShown(field, shown) ?? []);
  return fields.length > 0 ? { ...outline, fields } : undefined;
}
