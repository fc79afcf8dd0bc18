/** Runs in the page: which sections, once a link has led to them, have their heading behind the header. */
export async function headingsBehindHeader(): Promise<string[]> {
  const faults: string[] = [];
  const header = document.querySelector('header');
  const ids = [...document.querySelectorAll('header nav a')].map((link) => link.getAttribute('href') ?? '');
  for (const id of ids) {
    document.querySelector(id)?.scrollIntoView({ behavior: 'instant' });
    await new Promise(requestAnimationFrame);
    const top = document.querySelector(`${id} :is(h1, h2)`)?.getBoundingClientRect().top ?? Number.NaN;
    const bottom = Math.max(0, header?.getBoundingClientRect().bottom ?? Number.NaN);
    // Its border may touch the heading's line.
    if (!(top > bottom - 2)) faults.push(`${id} is ${bottom - top} px behind the header`);
  }
  return faults;
}
