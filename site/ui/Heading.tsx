import type { ReactNode } from 'react';

/**
 * With each word that has a hyphen or a slash in a box of its own, but for the first, which begins a line. Firefox
 * breaks lines within such words.
 */
export function whole(text: string): ReactNode {
  const [first, ...rest] = text.split(/(?<= )(\p{L}+(?:[-/]\p{L}+)+)/u);
  return rest.length === 0
    ? text
    : [first, ...rest.map((part, index) => (index % 2 === 0 ? <span key={part}>{part}</span> : part))];
}

/** A section's heading. It breaks between its phrases rather than within one, as long as they fit into a line. */
export function Heading({ id, children }: { id: string; children: string }) {
  const parts = children.split(/(?<=[.,])( )/);
  const phrases = parts.map((part) => (part === ' ' ? part : <span key={part}>{part}</span>));
  return <h2 id={id}>{phrases.length === 1 ? children : phrases}</h2>;
}
