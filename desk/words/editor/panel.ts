import type { Change } from '../differences.ts';
import type { Step } from '../draft.ts';
import type { Field } from '../outline.ts';
import { writtenNumber } from '../written-number.ts';
import { button, h, morph } from './elements.ts';
import { isSame, keyOf, type Model, type Path } from './model.ts';
import { oneLine } from './page.ts';
import { jpegOf } from './photo.ts';

type List = Extract<Field, { kind: 'list' }>;

/** The one panel for everything that isn't typed on the page itself. */
export function openPanel(panel: HTMLElement, model: Model) {
  /** `parts`, `publish`, `earlier`, or the name of a part. */
  let view = 'parts';
  let sought = '';
  let photoFault = '';
  /** Where the focus goes when it's closed. */
  let before: Element | null = null;

  function drawn(): HTMLElement {
    const close = button('Close', hide, { className: 'close' });
    const back = view !== 'parts' && button('← All words', () => show('parts'));
    const part = model.find(view);
    const content = part
      ? inPart(part)
      : view === 'publish'
        ? review()
        : view === 'earlier'
          ? earlier()
          : parts();
    return h('section', {}, close, back, ...content);
  }

  /** Only what's different is put in, so that she stays where she is. */
  function render(): void {
    const fresh = drawn();
    for (const { name, value } of panel.attributes) fresh.setAttribute(name, value);
    morph(panel, fresh);
  }

  /** On a phone, where it lies over the page. */
  function hide(): void {
    panel.hidden = true;
    if (before instanceof HTMLElement) before.focus();
  }

  const title = (words: string) => h('h2', { tabIndex: -1 }, words);
  const hint = (words: string, more = {}) => h('p', { className: 'hint', ...more }, words);

  /** All parts of the page, or what's found of their words. */
  function parts(): Node[] {
    const search = h('input', { type: 'search', id: 'search', value: sought });
    search.oninput = () => {
      sought = search.value;
      render();
    };
    const wanted = sought.trim().toLowerCase();
    const found = model.state.fields.filter(({ kind, path, label }) =>
      wanted.length > 1
        ? !/group|list/.test(kind) && `${label} ${model.valueOf(path)}`.toLowerCase().includes(wanted)
        : path.length === 1,
    );
    const rows = found.map(({ label, path }) => h('li', {}, leading(label, path)));
    return [
      title('All words'),
      h('label', { htmlFor: 'search' }, 'Find words'),
      search,
      h('ul', {}, ...rows),
      hint(rows.length > 0 ? '' : 'Nothing found.', { role: 'status' }),
    ];
  }

  const leading = (words: string, path: Path) =>
    button(words, () => show(String(path[0]), path), { className: 'leading' });

  const inPart = (part: Field): Node[] => [
    title(part.title),
    ...(part.kind === 'group' ? [hint(part.help)] : []),
    ...(view === 'founder' ? [photo()] : []),
    ...within(part),
  ];
  const within = (one: Field) => (one.kind === 'group' ? model.inside(one).map(shown) : [shown(one)]);

  function shown(one: Field): HTMLElement {
    if (one.kind === 'list') return list(one);
    if (one.kind !== 'group') return leaf(one);
    return h('fieldset', {}, h('legend', {}, one.title), hint(one.help), ...model.inside(one).map(shown));
  }

  function leaf(of: Exclude<Field, { kind: 'group' | 'list' }>): HTMLElement {
    const { path, kind, ours } = of;
    const id = keyOf(path);
    const refused = model.refusedAt(path);
    const now = refused ? refused.value : model.valueOf(path);
    const about = {
      id,
      'aria-describedby': `${id}-why ${id}-help`,
      'aria-invalid': String(refused !== undefined),
      onfocus: () => model.enter(path),
      onblur: () => model.flush(),
    };
    const typed = ({ target }: Event) => {
      const { value } = target as HTMLInputElement;
      const number = kind === 'number' ? writtenNumber(value) : Number.NaN;
      model.typed(path, Number.isNaN(number) ? oneLine(value) : number);
    };
    const onkeydown = (event: KeyboardEvent) => {
      if (event.key !== 'Enter' || event.isComposing) return;
      event.preventDefault();
      model.flush();
    };
    const checked = ({ target }: Event) => void model.save(path, () => (target as HTMLInputElement).checked);
    const input =
      kind === 'flag'
        ? h('input', { ...about, type: 'checkbox', checked: now === true, onchange: checked })
        : kind === 'number'
          ? h('input', {
              ...about,
              inputMode: 'numeric',
              size: 8,
              value: String(now),
              oninput: typed,
              onkeydown,
            })
          : h('textarea', {
              ...about,
              value: String(now),
              rows: rowsFor(String(now)),
              oninput: typed,
              onkeydown,
            });
    const unit = kind === 'number' && (of.unit === 'currency' ? model.state.places.currency : of.unit);
    const help = [
      of.help,
      kind === 'text' && of.rule && `It ${of.rule}.`,
      kind === 'text' && placesOf(of.places),
    ];
    return h(
      'div',
      { className: `leaf ${kind}` },
      h('label', { htmlFor: id }, of.title),
      input,
      unit && ` ${unit}`,
      h('p', { className: 'why', id: `${id}-why`, role: 'alert' }, refused?.why ?? ''),
      hint(help.filter(Boolean).join(' '), { id: `${id}-help` }),
      ours !== undefined && !isSame(ours, now) && backTo(ours, path),
    );
  }

  const rowsFor = (text: string) => Math.min(8, Math.max(1, Math.ceil(text.length / 34)));
  const backTo = (ours: unknown, path: Path) =>
    button(`Back to ours: ${inWords(ours)}`, () => void model.save(path, () => ours), { className: 'ours' });

  function placesOf(places: readonly string[]): string {
    const known = places.map((name) => {
      const now = model.state.places[name];
      return `{${name}}${now ? ` (${now})` : ''}`;
    });
    return known.length > 0 ? `You can use ${known.join(', ')}.` : '';
  }

  function list(of: List): HTMLElement {
    const isFixed = of.least === of.most;
    const entries = model.inside(of);
    const rows = entries.map((entry, at) => {
      const fields = h('details', {}, h('summary', {}, entry.title), ...within(entry));
      return h(
        'li',
        {},
        entry.kind === 'group' ? fields : shown(entry),
        !isFixed && arranging(of, entry.title, at),
      );
    });
    const add = button(
      `Add to “${of.title}”`,
      () => void arrange(of, entries.length, (all) => [...all, copyOf(all)]),
    );
    return h(
      'fieldset',
      {},
      h('legend', {}, of.title),
      hint(of.help),
      h('ol', {}, ...rows),
      !isFixed && entries.length < of.most && add,
      of.ours !== undefined && !isSame(of.ours, model.valueOf(of.path)) && backTo(of.ours, of.path),
    );
  }

  function arranging(of: List, name: string, at: number): HTMLElement {
    const { length } = model.inside(of);
    const moved = (all: unknown[], to: number) => all.toSpliced(at, 1).toSpliced(to, 0, all[at]);
    const one = (words: string, isPossible: boolean, to: number, change: (all: unknown[]) => unknown[]) =>
      button(words, () => void arrange(of, to, change), {
        disabled: !isPossible,
        'aria-label': `${words}: ${name}`,
      });
    return h(
      'p',
      { className: 'arrange' },
      one('Move up', at > 0, at - 1, (all) => moved(all, at - 1)),
      one('Move down', at < length - 1, at + 1, (all) => moved(all, at + 1)),
      one('Remove', length > of.least, Math.max(0, at - 1), (all) => all.toSpliced(at, 1)),
    );
  }

  /** @param to where she goes on */
  async function arrange({ path }: List, to: number, change: (all: unknown[]) => unknown[]): Promise<void> {
    model.flush();
    if (await model.save(path, (all) => change(all as unknown[]))) show(view, [...path, to]);
  }

  /** A copy of the last, to be written over. A second one that only one can be is none. */
  const copyOf = (all: unknown[]) =>
    JSON.parse(JSON.stringify(all.at(-1)), (_, value) => (value === true ? false : value));

  function photo(): HTMLElement {
    const input = h('input', { type: 'file', id: 'photo', accept: 'image/*,.heic,.heif' });
    input.onchange = () => void use(input.files?.[0]);
    return h(
      'div',
      { className: 'leaf' },
      h('label', { htmlFor: 'photo' }, 'Your photo: choose it, or drop it on the page'),
      input,
      h('p', { className: 'why', role: 'alert' }, photoFault),
      model.valueOf(['photo']) !== null &&
        button('Show the drawing instead', () => void model.save(['photo'], () => null)),
    );
  }

  async function use(file: File | undefined): Promise<void> {
    if (!file) return;
    try {
      photoFault = '';
      await model.act('photo', await jpegOf(file), 'The photo is in your draft.');
    } catch (error) {
      photoFault = String((error as Error).message);
      render();
    }
  }

  const difference = ({ what, before: was, after }: Change, more: HTMLElement | false = false) =>
    h('li', {}, h('b', {}, what), h('del', {}, inWords(was)), h('ins', {}, inWords(after)), more);

  /** What publishing changes, for her to see before she does. */
  function review(): Node[] {
    const { changes, refused, version } = model.state;
    const rows = changes.map((one) => {
      const back = () => void model.save(one.path, () => one.before);
      return difference(one, button('Take back', back, { 'aria-label': `Take back: ${one.what}` }));
    });
    const marked = refused.map(({ path, why }) =>
      h('li', {}, leading(model.find(keyOf(path))?.label ?? 'A text', path), `Stays in your draft. ${why}`),
    );
    const publish = button(
      'Publish now',
      () => void model.act('publish', { version }, 'Published. Visitors see it from now on.'),
      { className: 'button button-main' },
    );
    const throwAway = button('Throw the draft away', () => {
      if (confirm('Throw away everything in this list?'))
        void model.act('throw-away', {}, 'The draft is gone.');
    });
    const isSaved = changes.length + refused.length === 0;
    return [
      title('Publish'),
      h('p', {}, isSaved ? 'Visitors see everything as it is here.' : 'This is what changes:'),
      h('ul', { className: 'changes' }, ...rows, ...marked),
      h('p', { className: 'arrange' }, publish, !isSaved && throwAway),
      h('p', { role: 'status' }, model.said),
    ];
  }

  function earlier(): Node[] {
    const when = new Intl.DateTimeFormat('en-CA', { dateStyle: 'full', timeStyle: 'short' });
    const rows = model.state.steps.toReversed().map((step) => {
      const date = when.format(new Date(step.at));
      return h(
        'li',
        {},
        h('h3', {}, date),
        h('ul', { className: 'changes' }, ...step.changes.map((one) => difference(one))),
        button('Take this back', () => void takeBack(step), { 'aria-label': `Take back: ${date}` }),
      );
    });
    const none = 'You haven’t published anything yet.';
    return [
      title('Earlier'),
      hint(rows.length > 0 ? 'What you published, the newest first.' : none),
      h('ol', {}, ...rows),
    ];
  }

  /** In the draft, so that she sees it before visitors do. What has been changed since stays. */
  async function takeBack({ changes }: Step): Promise<void> {
    const kept: string[] = [];
    for (const { path, what, before: was, after } of changes)
      if (!isSame(model.valueOf(path), after) || !(await model.save(path, () => was))) kept.push(what);
    model.said =
      kept.length > 0 ? `Changed again since, so it stays: ${kept.join(', ')}.` : 'Taken back in your draft.';
    show('publish');
  }

  /** @param path where she goes on */
  function show(next: string, path?: Path): void {
    if (!panel.contains(document.activeElement)) before = document.activeElement;
    view = next;
    panel.hidden = false;
    panel.replaceChildren(...drawn().childNodes);
    const key = path && keyOf(path);
    const fields = [...panel.querySelectorAll<HTMLElement>('input, textarea')];
    const field =
      fields.find(({ id }) => id === key) ?? fields.find(({ id }) => key && id.startsWith(`${key}.`));
    for (let one = field?.closest('details'); one; one = one.parentElement?.closest('details'))
      one.open = true;
    const target = field ?? panel.querySelector<HTMLElement>('h2');
    target?.focus();
    target?.scrollIntoView({ block: 'nearest' });
  }

  panel.addEventListener('keydown', ({ key }) => {
    if (key === 'Escape') hide();
  });
  return { show, render, use };
}

function inWords(value: unknown): string {
  if (Array.isArray(value)) return value.map(nameOf).join(' · ');
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return String(value ?? '') || 'nothing';
}

/** An entry of a list in a few words. */
function nameOf(entry: unknown): string {
  if (typeof entry !== 'object' || entry === null) return String(entry);
  return String(Object.values(entry).find((one) => typeof one === 'string' && one !== '') ?? '');
}
