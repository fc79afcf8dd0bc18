import type { DrawingName } from '../drawings/files.tsx';
import { useAssets } from './assets.ts';

type DrawingProps = { name: DrawingName; alt?: string; className?: string | undefined };

/** A drawing in its own file, loaded once the first view is done. No `alt`: the text beside it says what it shows. */
export function Drawing({ name, alt = '', className }: DrawingProps) {
  const { src, width, height } = useAssets().drawings[name];
  return <img src={src} width={width} height={height} alt={alt} className={className} loading="lazy" />;
}
