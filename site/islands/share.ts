import type { PageData } from '../machine-readable/page-data.ts';

const OWN = 'data-own';
const THEIRS = 'data-theirs';

const fragmentOf = (spots: readonly number[]): string => `#stuck=${spots.join('-')}`;

/** "#stuck=1-4" → [1, 4]. Anything that isn't exactly that gives []. */
export function spotsIn(fragment: string, count: number): number[] {
  const all = Array.from({ length: count }, (_, at) => at + 1);
  const spots = all.filter((spot) => fragment.includes(String(spot)));
  return fragmentOf(spots) === fragment ? spots : [];
}

/** Shows what a link's sender marked, and makes such links. No server hears of either: a fragment isn't sent. */
export function startSharing(words: PageData['share'], readTopics: () => string[]): void {
  const section = document.getElementById('problems-heading')?.closest('section');
  const entries = [...(section?.querySelectorAll('[data-marks] > li') ?? [])];
  const banner = document.getElementById('shared');
  const button = section?.querySelector<HTMLButtonElement>('button.button');
  const said = section?.querySelector('output');
  const heard = section?.querySelector('[aria-live]');
  // It shows once this is started.
  if (!section || !banner || !button?.hidden || !said || !heard) return;

  const marked = (attribute: string) =>
    entries.flatMap((entry, at) => (entry.hasAttribute(attribute) ? at + 1 : []));

  const mark = (theirs: readonly number[]) => {
    for (const place of document.querySelectorAll('[data-marks]'))
      for (const at of entries.keys()) place.children[at]?.toggleAttribute(THEIRS, theirs.includes(at + 1));
    document.dispatchEvent(new Event('change'));
  };

  const receive = () => {
    const theirs = spotsIn(location.hash, entries.length);
    const marks = marked(THEIRS);
    if (theirs[0]) {
      mark(theirs);
      section.scrollIntoView();
    } else if (marks[0]) {
      // A link within the page replaced the fragment. A reload finds the marks here.
      history.replaceState(fragmentOf(marks), '');
    }
  };

  let told = '';
  const tellOfChange = () => {
    banner.hidden = !marked(THEIRS)[0];
    for (const entry of entries) {
      const box = entry.querySelector('input');
      if (entry.hasAttribute(THEIRS)) box?.setAttribute('aria-describedby', banner.id);
      else box?.removeAttribute('aria-describedby');
    }
    said.textContent = '';
    // Leaving a field of the form is a change, too.
    const topics = readTopics().join('; ');
    if (topics === told) return;
    told = topics;
    heard.textContent = topics && words.lit.replace('{topics}', () => topics);
  };

  const send = async () => {
    const own = marked(OWN);
    // Without any, the sender's marks are passed on.
    const url = `${location.origin}${location.pathname}${fragmentOf(own[0] ? own : marked(THEIRS))}`;
    try {
      await navigator.share({ title: document.title, url });
    } catch (error) {
      // The visitor closed the sheet that was offered.
      if (error instanceof DOMException && error.name === 'AbortError') return;
      said.textContent = await copy(url).catch(() => `${words.copy} ${url}`);
    }
  };

  const copy = async (url: string) => {
    await navigator.clipboard.writeText(url);
    return words.copied;
  };

  button.hidden = false;
  button.addEventListener('click', send);
  banner.querySelector('button')?.addEventListener('click', () => {
    history.replaceState(null, '', location.pathname + location.search);
    mark([]);
    // The button is gone, and the focus would be too.
    entries[0]?.querySelector('input')?.focus();
  });
  document.addEventListener('change', tellOfChange);
  addEventListener('hashchange', receive);
  tellOfChange();
  if (typeof history.state === 'string') mark(spotsIn(history.state, entries.length));
  receive();
}
