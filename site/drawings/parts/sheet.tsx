import { createContext, type ReactNode, use } from 'react';

/** The styles of a drawing in a file of its own, which doesn't see the page's. */
export const FileStyle = createContext<string | undefined>(undefined);

type SheetProps = {
  /** What the drawing shows; left out where the text beside it already says so. */
  label?: string | undefined;
  /** The part of the paper that is seen: left, top, width, height. */
  view: readonly [left: number, top: number, width: number, height: number];
  className?: string;
  children: ReactNode;
};

/** What every drawing is drawn on. */
export function Sheet({ label, view, className = '', children }: SheetProps) {
  const style = use(FileStyle);
  return (
    <svg
      xmlns={style && 'http://www.w3.org/2000/svg'}
      className={`d-root ${className}`.trim()}
      width={view[2]}
      height={view[3]}
      viewBox={view.join(' ')}
      role={label ? 'img' : undefined}
      aria-label={label}
      aria-hidden={label ? undefined : true}
    >
      {style && <style>{style}</style>}
      {children}
    </svg>
  );
}
