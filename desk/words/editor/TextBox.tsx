import { type KeyboardEvent, useId, useRef, useState } from 'react';

const PLACE = /\{\w+\}/g;

interface Props {
  label: string;
  value: string;
  /** The {places} that can be put in. */
  places: readonly string[];
  /** What each of them says on the page now. */
  wordsOf: Readonly<Record<string, string>>;
  describedBy?: string;
  invalid: boolean;
  /** Enter, or leaving with another text than before. */
  onSave: (text: string) => void;
  /** Escape. */
  onCancel?: (() => void) | undefined;
  onType: () => void;
}

/** A box for one text. A {place} in it is a chip: it's entered, left and erased as a whole. */
export function TextBox(props: Props) {
  const { label, value, places, wordsOf, describedBy, invalid, onSave, onCancel, onType } = props;
  const [text, setText] = useState(value);
  const [from, setFrom] = useState(value);
  const id = useId();
  const box = useRef<HTMLTextAreaElement>(null);
  const sent = useRef<string>(undefined);
  if (value !== from) {
    setFrom(value);
    // What she's typing stays, whatever happens to the text meanwhile.
    if (text === from) setText(value);
  }

  /** Once for each text: Enter closes the box, which leaves it as well. */
  function save() {
    if (sent.current === text) return;
    sent.current = text;
    onSave(text);
  }

  function type(next: string) {
    sent.current = undefined;
    setText(next.replace(/[\r\n]+/g, ' '));
    onType();
  }

  function keys(event: KeyboardEvent<HTMLTextAreaElement>) {
    if (event.nativeEvent.isComposing) return;
    if (event.key === 'Enter') {
      event.preventDefault();
      save();
    } else if (event.key === 'Escape') {
      event.stopPropagation();
      // Closing leaves the box, and what's in it isn't to be kept.
      sent.current = text;
      setText(value);
      onType();
      onCancel?.();
    }
  }

  /** Widens the selection so that no place is cut. */
  function keepWhole() {
    const area = box.current;
    if (!area) return;
    const { selectionStart: start, selectionEnd: end } = area;
    for (const { 0: location, index } of text.matchAll(PLACE)) {
      const close = index + location.length;
      const cutsStart = start > index && start < close;
      const cutsEnd = end > index && end < close;
      if (start === end && cutsStart) area.setSelectionRange(close, close);
      else if (cutsStart || cutsEnd) area.setSelectionRange(cutsStart ? index : start, cutsEnd ? close : end);
    }
  }

  /** Erasing from beside a place erases all of it. */
  function erase(event: KeyboardEvent<HTMLTextAreaElement>) {
    const area = box.current;
    if (!area || area.selectionStart !== area.selectionEnd) return;
    const at = area.selectionStart;
    for (const { 0: location, index } of text.matchAll(PLACE)) {
      const close = index + location.length;
      if (event.key === 'Backspace' && at === close) area.setSelectionRange(index, close);
      if (event.key === 'Delete' && at === index) area.setSelectionRange(index, close);
      if (event.key === 'ArrowLeft' && at === close) area.setSelectionRange(index + 1, index + 1);
      if (event.key === 'ArrowRight' && at === index) area.setSelectionRange(close - 1, close - 1);
    }
  }

  function insert(location: string) {
    const area = box.current;
    if (!area) return;
    area.setRangeText(`{${location}}`, area.selectionStart, area.selectionEnd, 'end');
    type(area.value);
    area.focus();
  }

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: leaving is noticed here, since the chips belong to the box
    <div
      className="text-box"
      onBlur={({ currentTarget, relatedTarget }) => {
        if (!currentTarget.contains(relatedTarget) && text !== value) save();
      }}
    >
      <label htmlFor={id}>{label}</label>
      <div className="typed">
        <p aria-hidden="true">
          {text.split(/(\{\w+\})/g).map((piece, at) =>
            // biome-ignore lint/suspicious/noArrayIndexKey: pieces have no other name, and no state
            at % 2 === 1 ? <mark key={at}>{piece}</mark> : piece,
          )}{' '}
        </p>
        <textarea
          ref={box}
          id={id}
          rows={1}
          value={text}
          aria-invalid={invalid}
          aria-describedby={describedBy}
          onChange={({ target }) => type(target.value)}
          onKeyDown={(event) => {
            erase(event);
            keys(event);
          }}
          onSelect={keepWhole}
        />
      </div>
      {places.length > 0 && (
        <details className="places">
          <summary>Put in what changes by itself</summary>
          {places.map((location) => (
            <button type="button" key={location} onClick={() => insert(location)}>
              {wordsOf[location] ?? ''} <small>{`{${location}}`}</small>
            </button>
          ))}
        </details>
      )}
    </div>
  );
}
