import { useEffect, useState } from 'react';

/** A line across the window, a little above the middle. The section under it is the current one. */
const READING_LINE = '-40% 0px -60%';

/** The id of the section on the reading line, if it's one of these. */
export function useCurrentSection(ids: readonly string[]) {
  const [current, setCurrent] = useState<string>();
  useEffect(() => {
    const observer = new IntersectionObserver(
      (entries) => {
        for (const { isIntersecting, target } of entries) {
          setCurrent((known) => {
            if (isIntersecting) return target.id;
            return known === target.id ? undefined : known;
          });
        }
      },
      { rootMargin: READING_LINE },
    );
    for (const id of ids) {
      const section = document.getElementById(id);
      if (section) observer.observe(section);
    }
    return () => observer.disconnect();
  }, [ids]);
  return current;
}
