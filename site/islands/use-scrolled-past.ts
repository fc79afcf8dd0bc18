import { type RefObject, useEffect, useState } from 'react';

/**
 * Whether the page is scrolled past an element that lies at its very top; undefined until known, so
 * that styles can tell. An observer, because a scroll handler would have to ask for the layout. An
 * element that just touches the edge still counts as in view, which makes thresholds exact.
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
