import { html } from 'hono/html';
import { folded } from '../../../contract/clean.ts';
import type { DraftField } from '../draft.ts';
import type { Change } from '../outline.ts';
import { entryTitle, isTaken, nameOf } from '../values.ts';
import { isSame, type Model } from './model.ts';
import { morph, unfold } from './morph.ts';
import { jpegOf } from './photo.ts';
import { makeField } from './typing.ts';

type List = Extract<DraftField, { kind: 'list' }>;
type Html = ReturnType<typeof html>;

/** The field that says what shows at a {place}, by the place's name, or by the key of a text for all of its own. */
const SET_AT: Record<string, string> = {
  replyTime: 'replyHours',
  reply: 'replyHours',
  country: 'business.country',
  currency: 'business.currency',
  currencyName: 'business.currency',
  Count: 'packages.counts',
  from: 'packages.items',
  prices: 'packages.items',
  weeks: 'packages.items',
  hours: 'packages.items',
  name: 'founder.name',
  headline: 'hero.headline',
};

/** The one panel for everything that isn't typed on the page itself. */
export function openPanel(panel: HTMLElement, model: Model) {
  /** `all`, `publish`, or the name of a part. */
  let view = 'all';
  let sought = '';
  /** What she removed last, while as many others are left. */
  let removed: { key: string; at: number; title: string; entry: unknown; left: number } | undefined;
  /** Where the focus goes when the panel closes. */
  let before: HTMLElement | null = null;

  function render(): void {
    const fresh = panel.cloneNode() as HTMLElement;
    const part = model.find(view);
    const content = part ? inPart(part) : view === 'publish' ? publishing() : all();
    const back = view !== 'all' && button('show', 'all', '← All words');
    fresh.innerHTML = String(html`<p class="bar">${back} ${button('close', '', 'Close')}</p>${content}`);
    for (const element of fresh.querySelectorAll('.typed')) {
      const field = model.find(element.id);
      if (field) makeField(element, field, model.typedIn(field));
    }
    morph(panel, fresh);
  }

  function close(): void {
    panel.hidden = true;
    before?.focus();
  }

  /** @param key of the field where she goes on, or `all` or `publish` */
  function show(key: string): void {
    if (!panel.contains(document.activeElement)) before = focused();
    view = key.replace(/\..*/, '');
    panel.hidden = false;
    panel.replaceChildren();
    render();
    const fields = [...panel.querySelectorAll<HTMLElement>('[id]')];
    const field = fields.find(({ id }) => id === key) ?? fields.find(({ id }) => id.startsWith(`${key}.`));
    // An entry's own fields stay folded away.
    if (field) unfold(field.matches('summary') ? (field.closest('li') ?? field) : field);
    const target = field ?? panel.querySelector<HTMLElement>('h2');
    target?.focus();
    target?.scrollIntoView();
  }

  /** All parts of the page in its order, and the others; or the search results. */
  function all(): Html {
    const { fields, html: page = '' } = model.state;
    const body = page.replace(/^.*?<body|<script.*?<\/script>/gs, '');
    const wanted = folded(sought.trim());
    const isWanted = ({ label, value }: DraftField) => folded(`${label} ${value}`).includes(wanted);
    const found = fields.filter((one) => !/group|list/.test(one.kind) && isWanted(one));
    const names = new Set(
      Array.from(body.matchAll(/\ue001(\d+)/g), ([, at]) => fields[Number(at)]?.key.replace(/\..*/, '')),
    );
    const parts = [...names].flatMap((name) => model.find(String(name)) ?? []);
    const others = fields.filter(({ key }) => !key.includes('.') && !names.has(key));
    return html`<h2 tabindex="-1">All words</h2>
<label>Find words <input type="search" value="${sought}"></label>
<p role="status">${wanted && `Found: ${found.length}`}</p>
${wanted ? ledTo(found) : [ways('On this page', parts), ways('Not on this page', others)]}`;
  }

  const ways = (heading: string, fields: DraftField[]): Html => html`<h3>${heading}</h3>${ledTo(fields)}`;
  const ledTo = (fields: DraftField[]) =>
    html`<ul>${fields.map((one) => html`<li>${leading(one)}</li>`)}</ul>`;
  const leading = ({ label, key }: DraftField) => button('show', key, label);

  const inPart = (part: DraftField): Html =>
    html`<h2 tabindex="-1">${part.title}</h2>${part.kind === 'group' ? within(part) : shown(part)}`;
  const within = (group: DraftField): Html =>
    html`<p class="hint">${group.help}</p>${model.inside(group).map(shown)}`;

  function shown(one: DraftField): Html {
    const { kind, key, title, help, value } = one;
    const told = (model.entered === key && model.said) || help;
    if (kind === 'list') return list(one);
    if (kind === 'group') return html`<fieldset><legend>${title}</legend>${within(one)}</fieldset>`;
    if (kind === 'photo')
      return html`<b>${title}</b>${value && html`<img src="${model.base}/page/photos/${value}" alt="${title}">`}<input type="file" id="${key}" aria-label="${title}" accept="image/*,.heic,.heif">
<p class="hint">${told}</p>`;
    if (kind === 'flag')
      return html`<label class="flag"><input type="checkbox" id="${key}" ${value === true && 'checked'}>
<span>${title}</span></label><p class="hint">${told}</p>`;
    const ways = Array.from(String(value).matchAll(/\{(\w+)\}/g), ([place, name = '']) => {
      const setAt = SET_AT[key] ?? SET_AT[name];
      return setAt && button('show', setAt, `Change what ${place} says`);
    });
    return html`<b>${title}</b><div class="typed" id="${key}"></div><p class="hint">${help}</p>${ways}`;
  }

  function list(of: List): Html {
    const { key, title, help, least, most, ours } = of;
    const entries = model.inside(of);
    const isFixed = least === most;
    const rows = entries.map((entry, at) => {
      const press = (words: string, to: number | '', isPossible: boolean) =>
        button('arrange', `${key} ${at} ${to}`, words, `${words}: ${entry.title}`, !isPossible);
      const fields = html`<details><summary id="${entry.key}">${entry.title}</summary>${within(entry)}</details>`;
      const bar = html`<p class="bar">${press('Move up', at - 1, at > 0)}
${press('Move down', at + 1, at < entries.length - 1)} ${press('Remove', '', entries.length > least)}</p>`;
      return html`<li>${entry.kind === 'group' ? fields : shown(entry)}${!isFixed && bar}</li>`;
    });
    const wayBack = html`<li><p>Removed from your draft: ${removed?.title}</p>${button('putBack', '', 'Put it back', `Put it back: ${removed?.title}`)}</li>`;
    if (removed?.key === key && removed.left === entries.length) rows.splice(removed.at, 0, wayBack);
    return html`<fieldset id="${key}" tabindex="-1"><legend>${title}</legend><p class="hint">${help}</p><ol>${rows}</ol>
${!isFixed && entries.length < most && button('arrange', `${key}  ${entries.length}`, `Add to “${title}”`)}
${ours !== undefined && button('ours', key, `Back to the original: ${inWords(ours)}`)}</fieldset>`;
  }

  function difference({ key, what, before: was, after }: Change, back: Html | string = ''): Html {
    const isPhoto = model.find(key)?.kind === 'photo';
    const titleOf = (part: string) => model.find(`${key}.0.${part}`)?.title;
    const photo = (name: unknown) =>
      name ? html`<img src="${model.base}/page/photos/${name}" alt="Your photo">` : 'The drawing';
    const shown = isPhoto ? photo : inWords;
    const [out, into] = Array.isArray(was) && Array.isArray(after) ? whatDiffers(was, after) : [was, after];
    return html`<li><b>${what}</b><del>${shown(out, after, titleOf)}</del><ins>${shown(into, was, titleOf)}</ins>${back}</li>`;
  }

  /** What publishing would change, for her to see first, and what it changed earlier. */
  function publishing(): Html {
    const { changes, fields, steps, version } = model.state;
    const rows = changes.map((one) =>
      difference(one, button('takeBack', one.key, 'Undo', `Undo: ${one.what}`)),
    );
    const marked = fields.flatMap((one) =>
      one.refused ? [html`<li>${leading(one)} Stays in your draft. ${one.refused.why}</li>`] : [],
    );
    const earlier = [...steps].reverse().map(({ at, when, changes: then }) => {
      const back = button('takeStepBack', at, 'Undo in my draft', `Undo in my draft: ${when}`);
      const all = then.map((one) => difference(one));
      const [first, ...others] = then.map(({ what }) => what);
      const more = others.length > 0 ? ` and ${others.length} more` : '';
      return html`<details><summary>${when}: ${first}${more}</summary><ul class="changes">${all}</ul>${back}</details>`;
    });
    return html`<h2 tabindex="-1">Publish</h2>
<p>${rows.length === 0 ? html`Nothing in your draft changes <a href="/" target="_blank">your page</a>.` : 'This is what changes:'}</p>
<ul class="changes">${rows}${marked}</ul>
<p class="bar"><button type="button" name="publish" value="${version}" class="button ${rows.length > 0 && 'button-main'}">Publish now</button>
${rows.length + marked.length > 0 && button('throwAway', version, 'Throw the draft away')}</p>
${earlier.length > 0 && html`<h3>Published earlier</h3>`}${earlier}`;
  }

  /** @param how the list's key, the place of an entry or nothing for a new one, and where it goes, or nothing to remove it */
  async function arrange(how: string): Promise<void> {
    const [key = '', from = '', to = ''] = how.split(' ');
    const { title = '' } = model.find(`${key}.${from}`) ?? {};
    const pressed = panel.querySelector(`[name=arrange][value="${how}"]`)?.getAttribute('aria-label');
    const top = placeOf(pressed);
    const focused = document.activeElement;
    removed = undefined;
    const names = [model.find(key)?.value].flat().map(nameOf);
    const isDone = await model.save(key, (now) => {
      const all = now as unknown[];
      if (from && isTaken(Number(from), names, all))
        throw new Error('This list has changed in the meantime. Check it, then try again.');
      const last = all.at(-1) ?? Object.values(model.find(key)?.ours ?? {}).at(-1);
      const entry = from ? all[Number(from)] : copyOf(last);
      const others = all.filter((_, at) => !from || at !== Number(from));
      if (to) return withEntry(others, Number(to), entry);
      removed = { key, at: Number(from), title, entry, left: others.length };
      return others;
    });
    if (!isDone) {
      removed = undefined;
      return model.say(model.said);
    }
    // Everything else stays put, so that a second tap there removes nothing.
    if (!to) return panel.querySelector<HTMLElement>('[name=putBack]')?.focus({ preventScroll: true });
    const place = `${key}.${to}`;
    const { said } = model;
    // She may be typing elsewhere by now.
    if ([focused, document.body].includes(document.activeElement))
      show((!from && model.state.fields.find((one) => one.key.startsWith(`${place}.`))?.key) || place);
    // The same button stays under her finger.
    if (from) panel.scrollTop += placeOf(pressed) - top;
    model.say(from ? said : 'New: a copy of another one, for you to change.');
  }

  const placeOf = (label: string | null = '') =>
    [...panel.querySelectorAll('[name=arrange]')]
      .find((one) => one.getAttribute('aria-label') === label)
      ?.getBoundingClientRect().top ?? 0;

  async function use(file: File | undefined): Promise<void> {
    if (!file) return;
    show('founder.picture');
    try {
      const jpeg = await jpegOf(file);
      await model.act('photo', () => jpeg, 'The photo is in your draft.');
    } catch (error) {
      model.say(String((error as Error).message));
    }
  }

  const onPage = () =>
    document
      .querySelector('iframe')
      ?.contentDocument?.querySelector<HTMLElement>(`[data-words~="${model.entered}"]`);

  /** Only in the draft, so that she sees it before visitors do. What has changed since stays. */
  async function takeStepBack(at: string): Promise<void> {
    // With what she typed last, or not at all
    model.left();
    if (!(await model.act('state'))) return;
    const { steps } = model.state;
    const place = steps.findIndex((one) => one.at === at);
    const { changes = [] } = steps[place] ?? {};
    const isNow = (key: string, value: unknown) => isSame(model.find(key)?.value, value);
    const since = steps.slice(place + 1).flatMap((one) => one.changes);
    const later = [...since, ...model.state.changes];
    // Its place may be another entry's by now.
    const isMoved = ({ key }: { key: string }) => later.some((one) => key.startsWith(`${one.key}.`));
    const moved = changes.filter(isMoved);
    for (const one of changes)
      if (!moved.includes(one) && isNow(one.key, one.after) && !(await model.save(one.key, () => one.before)))
        return;
    show('publish');
    // This is about all of them.
    model.entered = '';
    // A list that's back may have brought others along.
    const kept = changes.filter((one) => moved.includes(one) || !isNow(one.key, one.before));
    const all = kept.map(({ what }) => what).join(', ');
    model.say(
      all
        ? `Changed again since, so it stays: ${all}.`
        : 'Undone in your draft. Visitors see it once you publish.',
    );
  }

  /** What the buttons do, by their names; each gets its value. */
  const actions: Record<string, (value: string) => unknown> = {
    show,
    close,
    arrange,
    takeStepBack,
    ours: (key) => model.save(key, () => model.find(key)?.ours),
    takeBack: (key) => model.save(key, () => model.state.changes.find((one) => one.key === key)?.before),
    keepMine: model.keepMine,
    // What she typed where another device was first, or what the page can't show.
    leaveAsItIs: (key) => model.save(key, (was) => was),
    turnOn: async (key) => {
      show(key);
      await model.save(key, () => true);
    },
    putBack: async () => {
      if (!removed) return;
      const { key, at, entry } = removed;
      // Into the list as it is by then, since she may have typed in it.
      if (await model.save(key, (now) => withEntry(now as unknown[], at, entry))) show(`${key}.${at}`);
    },
    publish: model.publish,
    throwAway: (version) => confirm('Throw your draft away?') && model.throwAway(version),
  };
  /** A press meanwhile would act on what she hasn't seen. */
  let isUnderway = false;
  document.addEventListener('click', async ({ target, detail }) => {
    const { name, value } = (target as Element).closest('button') ?? {};
    // The second press of a double click would hit whatever is there by then. What moves an entry stays under the finger.
    if (!name || (detail > 1 && !/ \d+ \d+$/.test(value ?? ''))) return;
    if (name === 'show' || name === 'close') return actions[name]?.(value ?? '');
    if (isUnderway) return model.say('Still busy with the last button. Press this again once it’s done.');
    isUnderway = true;
    const isBeside = panel.contains(target as Element);
    try {
      await actions[name]?.(value ?? '');
    } finally {
      isUnderway = false;
    }
    if (document.activeElement !== document.body) return;
    // What was pressed is gone.
    const place = isBeside ? (document.getElementById(value ?? '') ?? panel.querySelector('h2')) : onPage();
    const { said } = model;
    place?.focus({ preventScroll: true });
    model.say(said);
  });
  panel.addEventListener('focusin', ({ target }) => {
    const { id } = target as Element;
    if (model.find(id)) model.enter(id);
  });
  panel.addEventListener('input', ({ target }) => {
    const { type, value, id, checked, files } = target as HTMLInputElement;
    if (type === 'search') {
      sought = value;
      render();
    } else if (type === 'file') void use(files?.[0]);
    else if (type === 'checkbox') void model.save(id, () => checked);
  });
  document.addEventListener('keydown', ({ key, defaultPrevented }) => {
    if (key === 'Escape' && !defaultPrevented) close();
  });
  return { show, render, use };
}

export type Panel = ReturnType<typeof openPanel>;

/** Where the focus is, also on the page in the frame. */
function focused(): HTMLElement | null {
  const { activeElement: active } = document;
  return (
    active instanceof HTMLIFrameElement ? active.contentDocument?.activeElement : active
  ) as HTMLElement;
}

/** A button whose name says what's done, and whose value says to what. */
export const button = (name: string, value: string, words: string, label = words, isOff = false): Html =>
  html`<button type="button" name="${name}" value="${value}" aria-label="${label}" ${isOff && 'disabled'}>${words}</button>`;

/** For an entry, adds what differs from the one of the same name in `other`, if that's a list. */
function inWords(value: unknown, other?: unknown, titleOf?: (part: string) => string | undefined): string {
  const nameOf = (entry: unknown) => entryTitle(entry) ?? String(entry);
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  const entries = [value ?? ''].flat().map((entry) => {
    const same = Array.isArray(other) ? other.find((one) => nameOf(one) === nameOf(entry)) : entry;
    const parts = Object.entries(Object(entry)).filter(
      ([key, part]) => Array.isArray(other) && !isSame(part, same?.[key]) && part !== nameOf(entry),
    );
    const named = parts.map(([key, part]) =>
      [titleOf?.(key), inWords(part, same?.[key])].filter(Boolean).join(': '),
    );
    return nameOf(entry) + (named.length > 0 ? ` (${named.join(', ')})` : '');
  });
  return entries.join(' · ') || 'nothing';
}

/** What's left of two lists without the entries that both begin and end with. */
function whatDiffers(one: unknown[], other: unknown[]): [unknown[], unknown[]] {
  const least = Math.min(one.length, other.length);
  let head = 0;
  while (head < least && isSame(one[head], other[head])) head += 1;
  let tail = 0;
  while (tail < least - head && isSame(one.at(-1 - tail), other.at(-1 - tail))) tail += 1;
  return [one.slice(head, one.length - tail), other.slice(head, other.length - tail)];
}

/** Without choices that only one entry can have. */
const copyOf = (entry: unknown) =>
  JSON.parse(JSON.stringify(entry), (_, value) => (value === true ? false : value));

const withEntry = (list: unknown[], at: number, entry: unknown) => [
  ...list.slice(0, at),
  entry,
  ...list.slice(at),
];
