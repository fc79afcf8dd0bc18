import { type RefObject, useEffect, useState } from 'react';

/**
 * Whether the page is scrolled past an element at its top; undefined until known. Unlike a scroll handler, an observer
 * needs no layout. It counts an element that touches the edge as visible, which makes thresholds exact.
 */
export function useScrolledPast(mark: RefObject<Element | null>) {
  const [past, setPast] = useState<boolean>();
  useEffect(() => {
    if (!mark.current) return;
    const observer = new IntersectionObserver((entries) => {
      const latest = entries.at(-1);
      if (latest) setPast(!latest.isIntersecting);
    });
    observer.observe(mark.current);
    return () => observer.disconnect();
  }, [mark]);
  return past;
}
