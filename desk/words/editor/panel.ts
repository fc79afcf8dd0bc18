import { html } from 'hono/html';
import type { Change } from '../differences.ts';
import type { DraftField } from '../draft.ts';
import { isSame, keyOf, type Model, type Path } from './model.ts';
import { morph } from './morph.ts';
import { jpegOf } from './photo.ts';
import { makeField } from './typing.ts';

type List = Extract<DraftField, { kind: 'list' }>;
type Html = ReturnType<typeof html>;

const WHEN = new Intl.DateTimeFormat('en-CA', { dateStyle: 'full', timeStyle: 'short' });

/** The one panel for everything that isn't typed on the page itself. */
export function openPanel(panel: HTMLElement, model: Model) {
  /** `all`, `publish`, or the name of a part. */
  let view = 'all';
  let sought = '';
  /** Where the focus goes when it's closed. */
  let before: Element | null = null;

  /** Only what's different is put in, so that she stays where she is. */
  function render(): void {
    const fresh = panel.cloneNode() as HTMLElement;
    const part = model.find(view);
    const content = part ? inPart(part) : view === 'publish' ? publishing() : all();
    const back = view !== 'all' && button('show', 'all', '← All words');
    fresh.innerHTML = String(html`<p class="bar">${back} ${button('close', '', 'Close')}</p>${content}`);
    for (const element of fresh.querySelectorAll('.typed')) {
      const field = model.find(element.id);
      if (field) makeField(element, field);
    }
    morph(panel, fresh);
  }

  function close(): void {
    panel.hidden = true;
    if (before instanceof HTMLElement) before.focus();
  }

  /** @param key of the field where she goes on, or `all` or `publish` */
  function show(key: string): void {
    if (!panel.contains(document.activeElement)) before = document.activeElement;
    view = key.replace(/\..*/, '');
    panel.hidden = false;
    panel.replaceChildren();
    render();
    const fields = [...panel.querySelectorAll<HTMLElement>('[id]')];
    const field = fields.find(({ id }) => id === key) ?? fields.find(({ id }) => id.startsWith(`${key}.`));
    for (let one = field?.closest('details'); one; one = one.parentElement?.closest('details'))
      one.open = true;
    const target = field ?? panel.querySelector<HTMLElement>('h2');
    target?.focus();
    target?.scrollIntoView({ block: 'nearest' });
  }

  /** All parts of the page, or what's found of their words. */
  function all(): Html {
    const wanted = sought.trim().toLowerCase();
    const found = model.state.fields.filter(({ kind, path, label, value }) =>
      wanted
        ? !/group|list/.test(kind) && `${label} ${value}`.toLowerCase().includes(wanted)
        : path.length === 1,
    );
    return html`<h2 tabindex="-1">All words</h2>
<label>Find words <input type="search" value="${sought}"></label>
<ul>${found.map((one) => html`<li>${leading(one)}</li>`)}</ul>
<p role="status">${found.length === 0 && 'Nothing found.'}</p>`;
  }

  const leading = ({ label, path }: DraftField) => button('show', keyOf(path), label);

  const inPart = (part: DraftField): Html =>
    html`<h2 tabindex="-1">${part.title}</h2>${part.kind === 'group' ? within(part) : shown(part)}`;
  const within = (group: DraftField): Html =>
    html`<p class="hint">${group.help}</p>${model.inside(group).map(shown)}`;

  function shown(one: DraftField): Html {
    const { kind, path, title, help, value } = one;
    const key = keyOf(path);
    if (kind === 'list') return list(one);
    if (kind === 'group') return html`<fieldset><legend>${title}</legend>${within(one)}</fieldset>`;
    if (kind === 'photo')
      return html`<input type="file" id="photo" aria-label="${title}" accept="image/*,.heic,.heif">
<p class="hint">${help}</p>${value !== null && button('ours', key, 'Show the drawing instead')}`;
    if (kind === 'flag')
      return html`<label class="flag"><input type="checkbox" id="${key}" ${value === true && 'checked'}>
<span>${title}</span></label><p class="hint">${help}</p>`;
    return html`<b>${title}</b><div class="typed" id="${key}"></div><p class="hint">${help}</p>`;
  }

  function list(of: List): Html {
    const { path, title, help, least, most, ours, value } = of;
    const entries = model.inside(of);
    const isFixed = least === most;
    const rows = entries.map((entry, at) => {
      const press = (name: string, words: string, isPossible: boolean) =>
        button(name, keyOf(entry.path), words, `${words}: ${entry.title}`, !isPossible);
      return html`<li>${
        entry.kind === 'group'
          ? html`<details><summary>${entry.title}</summary>${within(entry)}</details>`
          : shown(entry)
      }${
        !isFixed &&
        html`<p class="bar">${press('up', 'Move up', at > 0)}
${press('down', 'Move down', at < entries.length - 1)}
${press('remove', 'Remove', entries.length > least)}</p>`
      }</li>`;
    });
    const isOurs = ours === undefined || isSame(ours, value);
    return html`<fieldset><legend>${title}</legend><p class="hint">${help}</p><ol>${rows}</ol>
${!isFixed && entries.length < most && button('add', keyOf(path), `Add to “${title}”`)}
${!isOurs && button('ours', keyOf(path), `Back to ours: ${inWords(ours)}`)}</fieldset>`;
  }

  /** What publishing changes, for her to see before she does, and what it changed earlier. */
  function publishing(): Html {
    const { changes, fields, steps } = model.state;
    const marked = fields.filter(({ refused }) => refused);
    const isSaved = changes.length + marked.length === 0;
    return html`<h2 tabindex="-1">Publish</h2>
<p>${isSaved ? 'Visitors see everything as it is here.' : 'This is what changes:'}</p>
<ul class="changes">${changes.map((one, at) =>
      difference(one, button('takeBack', at, 'Take back', `Take back: ${one.what}`)),
    )}${marked.map((one) => html`<li>${leading(one)} Stays in your draft. ${one.refused?.why}</li>`)}</ul>
<p class="bar"><button type="button" name="publish" class="button button-main">Publish now</button> ${!isSaved && button('throwAway', '', 'Throw the draft away')}</p>
${steps.length > 0 && html`<h3>Published earlier</h3>`}
${steps.toReversed().map(({ at, changes: then }) => {
  const when = WHEN.format(new Date(at));
  const back = button('takeStepBack', at, 'Take this back', `Take back: ${when}`);
  return html`<details><summary>${when}</summary><ul class="changes">${then.map((one) => difference(one))}</ul>${back}</details>`;
})}`;
  }

  /** @param to where in the list she goes on */
  async function arrange(path: Path, to: number, change: (all: unknown[]) => unknown[]): Promise<void> {
    if (await model.save(path, (all) => change(all as unknown[]))) show(keyOf([...path, to]));
  }

  function move(key: string, by: number): Promise<void> {
    const [list, at] = placeOf(key);
    return arrange(list, at + by, (all) => all.toSpliced(at, 1).toSpliced(at + by, 0, all[at]));
  }

  /** What's in an entry's key: the path of its list, and its place there. */
  function placeOf(key: string): [list: Path, at: number] {
    const path = model.find(key)?.path ?? [];
    return [path.slice(0, -1), Number(path.at(-1))];
  }

  /** Puts a photo that she chose into the draft. */
  async function use(file: File | undefined): Promise<void> {
    if (!file) return;
    show('photo');
    try {
      const jpeg = await jpegOf(file);
      await model.act('photo', () => jpeg, 'The photo is in your draft.');
    } catch (error) {
      model.say(String((error as Error).message));
    }
  }

  /** In the draft, so that she sees it before visitors do. What has been changed since stays. */
  async function takeStepBack(at: string): Promise<void> {
    const kept: string[] = [];
    for (const { path, what, before: was, after } of model.state.steps.find((one) => one.at === at)
      ?.changes ?? [])
      if (!isSame(model.find(keyOf(path))?.value, after) || !(await model.save(path, () => was)))
        kept.push(what);
    show('publish');
    model.say(
      kept.length > 0 ? `Changed again since, so it stays: ${kept.join(', ')}.` : 'Taken back in your draft.',
    );
  }

  /** What the buttons do, by their names; each gets its value. */
  const actions: Record<string, (value: string) => unknown> = {
    show,
    close,
    takeStepBack,
    ours: (key) => model.save(model.find(key)?.path ?? [], () => model.find(key)?.ours),
    up: (key) => move(key, -1),
    down: (key) => move(key, 1),
    remove(key) {
      const [list, at] = placeOf(key);
      return arrange(list, Math.max(0, at - 1), (all) => all.toSpliced(at, 1));
    },
    add(key) {
      const list = model.find(key);
      return list && arrange(list.path, model.inside(list).length, (all) => [...all, copyOf(all.at(-1))]);
    },
    takeBack(at) {
      const change = model.state.changes[Number(at)];
      return change && model.save(change.path, () => change.before);
    },
    publish: () =>
      model.act(
        'publish',
        () => ({ version: model.state.version }),
        'Published. Visitors see it from now on.',
      ),
    throwAway: () =>
      confirm('Throw away everything in this list?') &&
      model.act('throw-away', () => ({}), 'The draft is gone.'),
    // What she typed where another device was first, or what the page can't show.
    keepMine: (key) => model.save(model.find(key)?.path ?? [], () => model.find(key)?.refused?.value),
    leaveAsItIs: (key) => model.save(model.find(key)?.path ?? [], (was) => was),
  };
  document.addEventListener('click', ({ target }) => {
    const pressed = (target as Element).closest('button');
    if (pressed) void actions[pressed.name]?.(pressed.value);
  });
  panel.addEventListener('input', ({ target }) => {
    const { type, value, id, checked, files } = target as HTMLInputElement;
    const { path } = model.find(id) ?? {};
    if (type === 'search') {
      sought = value;
      render();
    } else if (type === 'file') void use(files?.[0]);
    else if (type === 'checkbox' && path) void model.save(path, () => checked);
  });
  document.addEventListener('keydown', ({ key, defaultPrevented }) => {
    if (key === 'Escape' && !defaultPrevented) close();
  });
  return { show, render, use };
}

export type Panel = ReturnType<typeof openPanel>;

/** A button whose name says what's done, and whose value with what. */
export const button = (
  name: string,
  value: string | number,
  words: string,
  label = words,
  isOff = false,
): Html =>
  html`<button type="button" name="${name}" value="${value}" aria-label="${label}" ${isOff && 'disabled'}>${words}</button>`;

const difference = ({ what, before, after }: Change, back: Html | string = ''): Html =>
  html`<li><b>${what}</b><del>${inWords(before)}</del><ins>${inWords(after)}</ins>${back}</li>`;

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

/** A second one that only one can be is none. */
const copyOf = (entry: unknown) =>
  JSON.parse(JSON.stringify(entry), (_, value) => (value === true ? false : value));
