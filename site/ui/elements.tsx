import type { ComponentProps, ReactNode } from 'react';
import type { DrawingName } from '../drawings/files.tsx';
import { useAssets } from './assets.ts';
import styles from './TitleBlock.first.module.css';

/** Words with a hyphen or slash get a box, since Firefox breaks lines within them; the first word begins a line anyway. */
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

type DrawingProps = { name: DrawingName; alt?: string };

/** A drawing in its own file, loaded once the first view is done. No `alt`: the text beside it says what it shows. */
export function Drawing({ name, alt = '' }: DrawingProps) {
  const { src, width, height } = useAssets().drawings[name];
  return <img src={src} width={width} height={height} alt={alt} loading="lazy" />;
}

type Row = readonly [label: string, value: ReactNode];
type TitleBlockProps = { rows: readonly Row[]; className?: string | undefined };

/** The table in the corner of a drawing. Each row is a label and a value. */
export function TitleBlock({ rows, className = '' }: TitleBlockProps) {
  return (
    <dl className={`${styles.block} ${className}`.trim()}>
      {rows.map(([term, value]) => (
        <div key={term}>
          <dt>{term}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
