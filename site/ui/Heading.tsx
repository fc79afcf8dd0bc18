import type { ComponentProps, ReactNode } from 'react';

/** Words with a hyphen or slash are in a box, since Firefox breaks lines within them; a first one begins a line anyway. */
export function whole(text: string): ReactNode {
  const [first, ...rest] = text.split(/(?<= )(\p{L}+(?:[-/]\p{L}+)+)/u);
  return rest.length === 0
    ? text
    : [first, ...rest.map((part, index) => (index % 2 === 0 ? <span key={part}>{part}</span> : part))];
}

/** A section that links lead to, with the focus. Its heading's id is its name and `-heading`. */
export function Part({ id, name, ...rest }: ComponentProps<'section'> & Record<'id' | 'name', string>) {
  return <section id={id} {...rest} aria-labelledby={`${name}-heading`} tabIndex={-1} />;
}

/** A section's heading. It breaks between its phrases rather than within one, as long as they fit into a line. */
export function Heading({ id, children }: { id: string; children: string }) {
  const parts = children.split(/(?<=[.,])( )/);
  const phrases = parts.map((part) => (part === ' ' ? part : <span key={part}>{part}</span>));
  return <h2 id={id}>{phrases.length === 1 ? children : phrases}</h2>;
}
