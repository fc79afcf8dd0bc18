import { createContext, type ReactNode, use } from 'react';

/** Styles for a drawing in its own file, which can't use the page's styles. */
export const FileStyle = createContext<string | undefined>(undefined);

type SheetProps = {
  /** What the drawing shows. Not needed in a file, or if the text beside it says so. */
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
