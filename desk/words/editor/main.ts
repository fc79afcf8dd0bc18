import './editor.css';
import './fields.css';
import { html } from 'hono/html';
import { openModel } from './model.ts';
import { morph } from './morph.ts';
import { listenToDrops, openPage } from './page.ts';
import { button, openPanel } from './panel.ts';
import { listenToTyping } from './typing.ts';

const PAGES = {
  'index.html': 'Your page',
  'terms/index.html': 'Terms',
  'privacy/index.html': 'Privacy',
  '404.html': 'Page not found',
  'message-not-sent.html': 'Message not sent',
};

/** The widths of the page's layouts, in pixels. */
const PHONE = 390;
const DESKTOP = 1280;

/** In milliseconds. It may end on the page, which only the frame is told of. */
const LONGEST_PRESS = 5_000;

/** Whether the panel lies over the page, as `editor.css` has it. */
const isPanelOver = () => innerWidth < 960;

async function start(root: HTMLElement): Promise<void> {
  const base = location.pathname.replace(/\/$/, '');
  const option = ([value, name]: [string, string]) => html`<option value="${value}">${name}</option>`;
  root.innerHTML =
    String(html`<h1 class="visually-hidden">Words</h1><div class="tools" role="group" aria-label="Tools">
<select aria-label="Page">${Object.entries(PAGES).map(option)}</select>
<select aria-label="Width">${Object.entries({ [PHONE]: 'Phone', [DESKTOP]: 'Desktop' }).map(option)}</select>
${button('show', 'all', 'All words')}
<button type="button" name="show" value="publish" class="button button-main">Publish</button></div>
<div class="strip" role="group" aria-label="What you’re typing in"></div>
<div class="room"><iframe srcdoc="<!doctype html><title>Page</title>" title="Your page"></iframe></div>
<section class="panel" aria-label="Beside the page" hidden></section>`);
  const part = <Kind extends Element>(selector: string) => root.querySelector(selector) as Kind;
  const frame = part<HTMLIFrameElement>('iframe');
  const [page, width] = root.querySelectorAll('select');
  const [strip, room] = [part('.strip'), part('.room')];

  let held = 0;
  let isDue = false;
  const render = () => {
    isDue = held > 0;
    if (isDue) return;
    showPage();
    panel.render();
    tell();
  };
  const release = () => {
    clearTimeout(held);
    held = 0;
    if (isDue) render();
  };
  // A press is lost if what it began on is replaced before it ends.
  const hold = () => {
    clearTimeout(held);
    held = window.setTimeout(release, LONGEST_PRESS);
  };
  addEventListener('pointerdown', hold, true);
  for (const type of ['pointerup', 'pointercancel']) addEventListener(type, () => setTimeout(release), true);
  const model = openModel(base, render);
  // First, since Escape in a field leaves the panel as it is.
  listenToTyping(document, model);
  const panel = openPanel(part('.panel'), model);
  listenToDrops(document, panel);
  // Firefox loads an empty page first, and reports that, too.
  const isThere = () =>
    frame.contentDocument?.readyState === 'complete' && frame.contentDocument.title !== '';
  while (!isThere()) await new Promise((resolve) => frame.addEventListener('load', resolve, { once: true }));
  const showPage = openPage(frame.contentDocument as Document, model, panel);

  // Shows on the page what she's editing beside it: above the panel on phones, elsewhere only if it's out of view.
  part('.panel').addEventListener('focusin', ({ target }) => {
    const { id } = target as Element;
    const place = (key: string) =>
      frame.contentDocument?.querySelector(`[data-words~="${key}"], [data-words^="${key}."]`);
    // For a number or a choice, what it belongs to.
    const found = id && (place(id) ?? place(id.replace(/\.\w+$/, '')));
    if (!found) return;
    const { top, bottom } = found.getBoundingClientRect();
    // At the edge, what belongs to it would be out of view.
    const isInView = top > 0 && bottom < Number(frame.contentWindow?.innerHeight);
    found.scrollIntoView({ block: isPanelOver() ? 'start' : isInView ? 'nearest' : 'center' });
  });

  // The panel would cover what has the focus, or the page that she wants to see.
  const uncover = () => {
    if (isPanelOver()) part<HTMLElement>('.panel').hidden = true;
  };
  part('.tools').addEventListener('focusin', uncover);
  frame.contentDocument?.addEventListener('focusin', uncover);

  page?.addEventListener('change', () => {
    Object.assign(model, { page: page.value, entered: '', said: '' });
    uncover();
    void model.act('state').then(() => frame.contentWindow?.scrollTo(0, 0));
  });

  // What appears as she types would move the page under her mouse, so the strip is always there. So would a button before
  // the one that's there already, which keeps its place at the end.
  function tell(): void {
    const { entered, state, said } = model;
    const { refused, ours, title, help, kind: of } = model.find(entered) ?? {};
    const list = state.fields.findLast(({ kind, key }) => kind === 'list' && entered.startsWith(`${key}.`));
    const turnedOn = model.find(`${model.page.replace(/\/.*/, '')}.on`);
    const entry = entered.split('.', (list?.key.split('.').length ?? 0) + 1).join('.');
    const fresh = strip.cloneNode() as Element;
    fresh.innerHTML = String(html`<b>${title}</b>
<p role="status" class="${refused && 'why'}">${refused?.why || said || (help ?? 'Press any text to change it.')}</p>
<div class="bar">${turnedOn?.value === false && button('turnOn', turnedOn.key, 'Show to visitors')}
${refused?.isLater && button('keepMine', entered, 'Keep mine')}
${refused && button('leaveAsItIs', entered, refused.isLater ? 'Use that one' : 'Undo')}
${!refused && ours !== undefined && button('ours', entered, of === 'photo' ? 'Show the drawing' : 'Back to the original')}
${list && button('show', entry, 'Arrange', `Arrange “${list.title}”`)}</div>`);
    morph(strip, fresh);
    const { length } = state.changes;
    part('[value=publish]').textContent = length > 0 ? `Publish (${length})` : 'Publish';
  }

  /** Shows the page smaller if it's wider than the room. */
  function resize(): void {
    const { clientWidth, clientHeight } = room;
    const wanted = Number(width?.value);
    const shown = wanted === PHONE ? Math.min(wanted, clientWidth) : Math.max(wanted, clientWidth);
    const scale = Math.min(1, clientWidth / shown);
    Object.assign(frame.style, {
      width: `${shown}px`,
      height: `${clientHeight / scale}px`,
      transform: `scale(${scale})`,
      marginInline: wanted === PHONE ? 'auto' : '0',
    });
    // While the page was too wide, showing something on it may have scrolled the room.
    room.scrollTo(0, 0);
  }
  width?.addEventListener('change', resize);
  if (width && !isPanelOver()) width.value = String(DESKTOP);
  new ResizeObserver(resize).observe(room);

  await model.act('state');
  if (location.hash) panel.show(location.hash.slice(1));
  addEventListener('pagehide', model.leave);
  addEventListener('beforeunload', (event) => {
    // On an overloaded machine, a browser may skip the events after this one.
    model.leave();
    if (model.isAtRisk()) event.preventDefault();
  });
  document.addEventListener('visibilitychange', () => {
    if (document.hidden) model.leave();
    // Another device may have changed something meanwhile.
    else void model.act('state');
  });
}

const root = document.getElementById('editor');
if (root) void start(root);
