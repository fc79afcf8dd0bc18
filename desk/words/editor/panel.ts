import type { Change } from '../differences.ts';
import type { Step } from '../draft.ts';
import type { Outline } from '../outline.ts';
import { writtenNumber } from '../written-number.ts';
import { button, h } from './elements.ts';
import { isSame, keyOf, type Model, type Path } from './model.ts';
import { oneLine } from './page.ts';
import { jpegOf } from './photo.ts';

type List = Extract<Outline, { kind: 'list' }>;
type Leaf = Exclude<Outline, { kind: 'group' | 'list' }>;

/** What the panel shows: all parts, one of them, what publishing changes, or what it changed before. */
type View = 'parts' | 'publish' | 'earlier' | { part: string };

/** The one panel for everything that isn't typed on the page itself. */
export function openPanel(panel: HTMLElement, model: Model) {
  let view: View = 'parts';
  /** The entries of lists that are folded out, by their keys. */
  let unfolded = new Set<string>();
  /** Brings each field up to date. */
  let updates: (() => void)[] = [];
  let shape = '';
  let opener: HTMLElement | undefined;

  const shapeNow = () =>
    JSON.stringify([view, model.all().map(({ key }) => key), model.state.changes.length]);

  function render(): void {
    updates = [];
    shape = shapeNow();
    const { scrollTop } = panel;
    panel.replaceChildren(button('Close', hide, { className: 'close' }), ...content());
    panel.scrollTop = scrollTop;
  }

  function content(): Node[] {
    if (view === 'parts') return parts();
    const back = button('← All words', () => show('parts'), { className: 'back' });
    if (view === 'publish') return [back, ...review()];
    if (view === 'earlier') return [back, ...earlier()];
    const part = model.find(view.part);
    if (!part) return [back];
    return [
      back,
      title(part.title),
      ...help(part),
      ...(part.key === 'founder' ? photo() : []),
      ...inside(part),
    ];
  }

  /** On a phone, where it lies over the page. */
  function hide(): void {
    panel.hidden = true;
    opener?.focus();
  }

  const title = (words: string) => h('h2', { tabIndex: -1 }, words);
  const help = ({ help: words }: Outline) => (words ? [h('p', { className: 'hint' }, words)] : []);
  const inside = (one: Outline): Node[] => (one.kind === 'group' ? one.fields.map(shown) : [shown(one)]);

  function shown(one: Outline): HTMLElement {
    if (one.kind === 'list') return list(one);
    if (one.kind === 'group')
      return h('fieldset', {}, h('legend', {}, one.title), ...help(one), ...one.fields.map(shown));
    return field(one);
  }

  /** All parts of the page, and what's found of their words. */
  function parts(): Node[] {
    const found = h('div', { role: 'group', 'aria-label': 'Found' });
    const search = h('input', { type: 'search', id: 'search' });
    const rows = h('ul', {}, ...model.state.parts.map((one) => h('li', {}, leading(one.title, one.path))));
    search.oninput = () => {
      const sought = search.value.trim().toLowerCase();
      const hits = model.all().filter((one) => {
        const text = one.kind === 'group' || one.kind === 'list' ? '' : ` ${model.valueOf(one.path)}`;
        return sought.length > 1 && `${one.title}${text}`.toLowerCase().includes(sought);
      });
      rows.hidden = sought.length > 1;
      found.replaceChildren(
        ...hits.map((one) => leading(one.label, one.path)),
        ...(sought.length > 1 && hits.length === 0 ? ['Nothing found.'] : []),
      );
    };
    return [title('All words'), h('label', { htmlFor: 'search' }, 'Find words'), search, found, rows];
  }

  const leading = (words: string, path: Path) =>
    button(words, () => show({ part: String(path[0]) }, path), { className: 'leading' });

  function field(of: Leaf): HTMLElement {
    const { path, kind } = of;
    const key = keyOf(path);
    const id = `field-${key}`;
    const now = () => model.refusedAt(path)?.value ?? model.valueOf(path);
    const why = h('p', { className: 'why', role: 'alert', id: `${id}-why` });
    const described = { id, 'aria-describedby': `${id}-why ${id}-help` };
    const input = inputOf(of, described);
    const back = button('', () => void model.save(path, of.ours).then(render), { className: 'quiet' });
    updates.push(() => {
      const refused = model.refusedAt(path);
      why.textContent = refused?.why ?? '';
      input.setAttribute('aria-invalid', String(refused !== undefined));
      back.hidden = of.ours === undefined || isSame(of.ours, now());
      back.textContent = `Back to ours: ${inWords(of.ours)}`;
      if (input.type === 'checkbox') (input as HTMLInputElement).checked = now() === true;
      else if (input !== document.activeElement) input.value = String(now());
    });
    updates.at(-1)?.();
    const hint = [of.help, kind === 'text' && of.rule && `It ${of.rule}.`, ...placesOf(of)].filter(Boolean);
    const label = h('label', { htmlFor: id }, of.title);
    const unit = kind === 'number' && of.unit ? h('span', {}, unitOf(of.unit)) : undefined;
    const row =
      kind === 'text' ? [label, input] : [h('div', { className: `row ${kind}` }, label, input, unit)];
    const more = h('p', { className: 'hint', id: `${id}-help` }, hint.join(' '));
    return h('div', { className: 'field' }, ...row, why, more, back);
  }

  const unitOf = (unit: string) => (unit === 'currency' ? (model.state.places.currency ?? '') : unit);

  /** “{reply} stands for within 24 hours”, for those that the text has. */
  function placesOf(of: Leaf): string[] {
    const { places } = model.state;
    const has: string[] = String(model.valueOf(of.path)).match(/(?<=\{)\w+(?=\})/g) ?? [];
    const known = of.kind === 'text' ? of.places.filter((name) => places[name] || has.includes(name)) : [];
    return known.length > 0
      ? [
          `You can use ${known.map((name) => `{${name}}${places[name] ? ` (${places[name]})` : ''}`).join(', ')}.`,
        ]
      : [];
  }

  function inputOf(of: Leaf, described: { id: string; 'aria-describedby': string }) {
    const { path } = of;
    if (of.kind === 'flag')
      return h('input', {
        ...described,
        type: 'checkbox',
        onchange: ({ target }) => void model.save(path, (target as HTMLInputElement).checked),
      });
    if (of.kind === 'choice')
      return h(
        'select',
        {
          ...described,
          onchange: ({ target }) => void model.save(path, (target as HTMLSelectElement).value),
        },
        ...of.options.map((option) => h('option', {}, option)),
      );
    const typed = ({ value }: { value: string }) => {
      const number = of.kind === 'number' ? writtenNumber(value) : Number.NaN;
      model.typed(path, of.kind === 'number' && !Number.isNaN(number) ? number : oneLine(value));
    };
    const reactions = {
      onfocus: () => model.enter(path),
      oninput: ({ target }: Event) => typed(target as HTMLTextAreaElement),
      onblur: () => model.flush(),
      onkeydown: (event: KeyboardEvent) => {
        if (event.key !== 'Enter' || event.isComposing) return;
        event.preventDefault();
        model.flush();
      },
    };
    if (of.kind === 'number')
      return h('input', { ...described, ...reactions, inputMode: 'numeric', size: 8 });
    const rows = Math.min(8, Math.ceil(String(model.valueOf(path)).length / 34) || 1);
    return h('textarea', { ...described, ...reactions, rows });
  }

  function list(of: List): HTMLElement {
    const isFixed = of.least === of.most;
    const entries = of.entries.map((entry, at) => {
      const key = keyOf(entry.path);
      const buttons = h('p', { className: 'arrange' }, ...(isFixed ? [] : arranging(of, at)));
      if (entry.kind !== 'group') return h('li', {}, shown(entry), buttons);
      const folded = h(
        'details',
        { open: unfolded.has(key) },
        h('summary', {}, entry.title),
        ...inside(entry),
      );
      folded.ontoggle = () => unfolded[folded.open ? 'add' : 'delete'](key);
      return h('li', {}, folded, buttons);
    });
    const { length } = of.entries;
    const add = button(`Add to “${of.title}”`, () => arrange(of, length, (all) => [...all, fresh(all)]));
    const back = button('Back to our list', () => void model.save(of.path, of.ours).then(render), {
      className: 'quiet',
      hidden: of.ours === undefined || isSame(of.ours, model.valueOf(of.path)),
    });
    return h(
      'fieldset',
      { id: `field-${keyOf(of.path)}` },
      h('legend', {}, of.title),
      ...help(of),
      h('ol', {}, ...entries),
      ...(isFixed ? [] : [length < of.most && add]),
      back,
    );
  }

  function arranging(of: List, at: number): HTMLElement[] {
    const { title: name = '' } = of.entries[at] ?? {};
    const moved = (all: unknown[], to: number) => {
      const rest = all.toSpliced(at, 1);
      return rest.toSpliced(to, 0, all[at]);
    };
    const one = (words: string, isPossible: boolean, to: number, change: (all: unknown[]) => unknown[]) =>
      button(words, () => arrange(of, to, change), {
        disabled: !isPossible,
        'aria-label': `${words}: ${name}`,
      });
    const { length } = of.entries;
    return [
      one('Move up', at > 0, at - 1, (all) => moved(all, at - 1)),
      one('Move down', at < length - 1, at + 1, (all) => moved(all, at + 1)),
      one('Remove', length > of.least, Math.max(0, at - 1), (all) => all.toSpliced(at, 1)),
    ];
  }

  /** @param to where she goes on */
  async function arrange(of: List, to: number, change: (all: unknown[]) => unknown[]): Promise<void> {
    model.flush();
    const before = model.valueOf(of.path) as unknown[];
    if (!(await model.save(of.path, change(before)))) return;
    const isLonger = (model.valueOf(of.path) as unknown[]).length > before.length;
    // They're named by their places, which have changed.
    unfolded = new Set([...unfolded].filter((key) => !key.startsWith(`${keyOf(of.path)}.`)));
    show(view, [...of.path, to], isLonger);
  }

  /** A copy of the last, to be written over. A second one that only one can be is none. */
  function fresh(all: unknown[]): unknown {
    return JSON.parse(JSON.stringify(all.at(-1)), (_, value) => (value === true ? false : value));
  }

  function photo(): HTMLElement[] {
    const why = h('p', { className: 'why', role: 'alert' });
    const input = h('input', { type: 'file', id: 'photo', accept: 'image/*,.heic,.heif' });
    input.onchange = () => void use(input.files?.[0], why);
    const drawing = button('Show the drawing instead', () => void model.save(['photo'], null).then(render));
    drawing.hidden = !model.valueOf(['photo']);
    const label = h('label', { htmlFor: 'photo' }, 'Your photo: choose it, or drop it on the page');
    return [h('div', { className: 'field' }, label, input, why, drawing)];
  }

  async function use(file: File | undefined, why: HTMLElement): Promise<void> {
    if (!file) return;
    why.textContent = '';
    try {
      const { photo: name } = await model.act('photo', await jpegOf(file));
      await model.save(['photo'], name);
    } catch (error) {
      why.textContent = error instanceof Error ? error.message : String(error);
    }
  }

  const difference = ({ what, before, after }: Change, more?: HTMLElement) =>
    h('li', {}, h('b', {}, what), h('del', {}, inWords(before)), h('ins', {}, inWords(after)), more);

  /** What publishing changes, for her to see before she does. */
  function review(): Node[] {
    const { changes, refused, version } = model.state;
    const why = h('p', { className: 'why', role: 'alert' });
    const act = (action: string, said: string) =>
      model.act(action, { version }).then(
        ({ notes = [] }) => {
          model.say([said, ...notes].join(' '));
          show('publish');
        },
        (error: Error) => {
          why.textContent = error.message;
        },
      );
    const publish = button(
      'Publish now',
      () => void act('publish', 'Published. Visitors see it from now on.'),
    );
    publish.className = 'button button-main';
    const throwAway = button('Throw the draft away', () => {
      if (confirm('Throw away everything in this list?')) void act('throw-away', 'The draft is gone.');
    });
    throwAway.hidden = changes.length + refused.length === 0;
    const takeBack = ({ path, what, before }: Change) =>
      button('Take back', () => void model.save(path, before).then(render), {
        'aria-label': `Take back: ${what}`,
      });
    return [
      title('Publish'),
      h('p', {}, changes.length > 0 ? 'This will change:' : 'Visitors see everything as it is here.'),
      h('ul', { className: 'changes' }, ...changes.map((one) => difference(one, takeBack(one)))),
      refused.length > 0 && h('p', {}, 'This stays in your draft, since the page can’t show it:'),
      h(
        'ul',
        { className: 'changes' },
        ...refused.map((one) =>
          h(
            'li',
            {},
            leading(model.find(keyOf(one.path))?.label ?? 'A text', one.path),
            h('span', {}, one.why),
          ),
        ),
      ),
      why,
      publish,
      throwAway,
    ].filter((one) => one !== false);
  }

  function earlier(): Node[] {
    const { steps } = model.state;
    const when = new Intl.DateTimeFormat('en-CA', { dateStyle: 'full', timeStyle: 'short' });
    const rows = steps.map((step) => {
      const date = when.format(new Date(step.at));
      const take = button('Take this back', () => void takeBack(step), {
        'aria-label': `Take back: ${date}`,
      });
      return h(
        'li',
        {},
        h('h3', {}, date),
        h('ul', { className: 'changes' }, ...step.changes.map((one) => difference(one))),
        take,
      );
    });
    return [
      title('Earlier'),
      h(
        'p',
        {},
        steps.length > 0 ? 'What you published, the newest first.' : 'You haven’t published anything yet.',
      ),
      h('ol', { className: 'steps' }, ...rows),
    ];
  }

  /** In the draft, so that she sees it before visitors do. What has been changed since stays. */
  async function takeBack({ changes }: Step): Promise<void> {
    const kept: string[] = [];
    for (const { path, what, before, after } of changes) {
      if (!isSame(model.valueOf(path), after) || !(await model.save(path, before))) kept.push(what);
    }
    show('publish');
    if (kept.length > 0) model.say(`Changed again since, so it stays as it is: ${kept.join(', ')}.`);
  }

  /** @param path where she goes on, unfolded if it's asked for */
  function show(next: View, path?: Path, isUnfolded = true): void {
    const { activeElement } = document;
    if (!panel.contains(activeElement)) opener = activeElement as HTMLElement;
    view = next;
    panel.hidden = false;
    for (let length = 2; isUnfolded && path && length <= path.length; length += 1)
      unfolded.add(keyOf(path.slice(0, length)));
    render();
    const key = path && keyOf(path);
    const fields = [...panel.querySelectorAll<HTMLElement>('[id^="field-"]')];
    const exact = fields.find(({ id }) => id === `field-${key}`);
    const within = fields.find(({ id }) => id.startsWith(`field-${key}.`));
    const target =
      exact ?? within?.closest('details, li')?.querySelector<HTMLElement>('summary, textarea, input');
    const heading = panel.querySelector<HTMLElement>('h2');
    const focused = target?.matches('fieldset')
      ? target.querySelector<HTMLElement>('summary, textarea')
      : target;
    (focused ?? heading)?.focus();
    (focused ?? heading)?.scrollIntoView({ block: 'nearest' });
  }

  model.listen(() => {
    if (shape === shapeNow() || (panel.contains(document.activeElement) && typeof view === 'object'))
      for (const update of updates) update();
    else render();
  });
  panel.onkeydown = ({ key }) => {
    if (key === 'Escape') hide();
  };
  render();
  return { show, use };
}

function inWords(value: unknown): string {
  if (Array.isArray(value)) return value.map(nameOf).join(' · ');
  if (value === true) return 'yes';
  if (value === false) return 'no';
  return value === undefined || value === null || value === '' ? 'nothing' : String(value);
}

/** An entry of a list in a few words. */
function nameOf(entry: unknown): string {
  if (typeof entry !== 'object' || entry === null) return String(entry);
  return String(Object.values(entry).find((one) => typeof one === 'string' && one !== '') ?? '');
}
