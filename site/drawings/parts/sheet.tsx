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

/**
 * The colours of the drawings that `selector` finds, for a blue ground. They're mixed from the band's: pale lines, and
 * faces a little lighter or darker than the band.
 */
export function onBand(selector: string): string {
  return `${selector}{--line:var(--band-quiet);--ink:var(--band-ink);--label:var(--band-quiet);
--grid:color-mix(in srgb,var(--band),#fff 30%);--face-top:color-mix(in srgb,var(--band),#fff 18%);--face-left:color-mix(in srgb,var(--band),#fff 7%);
--face-right:color-mix(in srgb,var(--band),#000 12%);--sheet:var(--band);--body-line:var(--band-body);--body-top:var(--band-ink);--body-right:var(--band-shade);--ground:color-mix(in srgb,var(--band),#000 22%);}`.replaceAll(
    '\n',
    '',
  );
}
