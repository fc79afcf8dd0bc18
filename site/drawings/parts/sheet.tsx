import type { ReactNode } from 'react';

type SheetProps = {
  /** What the drawing shows. Not needed in a file, or if the text beside it says so. */
  label?: string | undefined;
  view: readonly [left: number, top: number, width: number, height: number];
  className?: string;
  children: ReactNode;
};

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
