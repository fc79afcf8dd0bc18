import type { ReactNode } from 'react';

type SheetProps = {
  id?: string;
  /** What the drawing shows. Not needed in a file, or if the text beside it says so. */
  label?: string | undefined;
  view: readonly [left: number, top: number, width: number, height: number];
  className?: string;
  children: ReactNode;
};

export function Sheet({ id, label, view, className = '', children }: SheetProps) {
  return (
    <svg
      id={id}
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

/** The colours of the drawings that `selector` finds, for a blue ground. */
export function onBand(selector: string): string {
  return `${selector}{--line:var(--band-quiet);--ink:var(--band-ink);--label:var(--band-quiet);--grid:var(--band-grid);
--face-top:var(--band-top);--face-left:var(--band-left);--face-right:var(--band-right);--sheet:var(--band);
--body-line:var(--band-body);--body-top:var(--band-ink);--body-right:var(--band-shade);--ground:var(--band-shadow);}`.replaceAll(
    '\n',
    '',
  );
}
