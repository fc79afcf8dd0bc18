import { createContext, type ReactNode, use } from 'react';

/** The styles of a drawing that's a file, where the page's styles don't reach. */
export const FileStyle = createContext<string | undefined>(undefined);

type SheetProps = {
  /** What the drawing shows, unless it's a file or the text beside it says so. */
  label?: string | undefined;
  view: readonly [left: number, top: number, width: number, height: number];
  className?: string;
  children: ReactNode;
};

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
      aria-hidden={label || style ? undefined : true}
    >
      {style && <style>{style}</style>}
      {children}
    </svg>
  );
}
