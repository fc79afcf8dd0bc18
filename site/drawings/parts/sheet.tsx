import type { ReactNode } from 'react';

type SheetProps = {
  /** What the drawing shows; left out where the text beside it already says so. */
  label: string | undefined;
  /** The part of the paper that is seen: left, top, width, height. */
  view: readonly [left: number, top: number, width: number, height: number];
  className?: string;
  children: ReactNode;
};

/** What every drawing is drawn on. */
export function Sheet({ label, view, className = '', children }: SheetProps) {
  return (
    <svg
      className={`d-root ${className}`.trim()}
      width={view[2]}
      height={view[3]}
      viewBox={view.join(' ')}
      role={label ? 'img' : undefined}
      aria-label={label}
      aria-hidden={label ? undefined : true}
    >
      {children}
    </svg>
  );
}
