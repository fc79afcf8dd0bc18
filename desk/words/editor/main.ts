import './editor.css';
import { button, h } from './elements.ts';
import { isSame, keyOf, openModel, type Path } from './model.ts';
import { openPage } from './page.ts';
import { openPanel } from './panel.ts';

/** What she calls each page, by its path. */
const PAGES = {
  'index.html': 'Your page',
  'terms/index.html': 'Terms',
  'privacy/index.html': 'Privacy',
  '404.html': 'Page not found',
  'message-not-sent.html': 'Message not sent',
};

/** The widths of the page's layouts, in pixels. */
const WIDTHS = { Phone: 390, Desktop: 1280 };
/** Below it, the panel lies over the page. */
const NARROW = 960;

async function start(root: HTMLElement): Promise<void> {
  const base = location.pathname.replace(/\/$/, '');
  const model = openModel(base, root.dataset.token ?? '', () => {
    page.show();
    panel.render();
    tell();
  });
  const frame = h('iframe', { src: `${base}/page`, title: 'Your page' });
  const loaded = new Promise((resolve) => frame.addEventListener('load', resolve));
  const room = h('div', { className: 'room' }, frame);
  const side = h('section', {
    className: 'panel',
    'aria-label': 'Beside the page',
    hidden: innerWidth < NARROW,
  });
  const panel = openPanel(side, model);

  const chosen = h('select', { 'aria-label': 'Page' });
  for (const [path, name] of Object.entries(PAGES)) chosen.append(h('option', { value: path }, name));
  chosen.onchange = () => {
    model.page = chosen.value;
    void model.act('state');
  };
  let width = innerWidth < NARROW ? WIDTHS.Phone : WIDTHS.Desktop;
  const widths = Object.entries(WIDTHS).map(([name, pixels]) =>
    button(name, () => {
      width = pixels;
      resize();
    }),
  );
  const publish = button('Publish', () => panel.show('publish'), { className: 'button button-main' });
  const tools = [
    chosen,
    h('span', { className: 'widths' }, ...widths),
    button('All words', () => panel.show('parts')),
    button('Earlier', () => panel.show('earlier')),
    publish,
  ];
  const strip = h('div', { className: 'strip', role: 'group', 'aria-label': 'What you’re typing in' });
  root.append(
    h('div', { className: 'tools', role: 'group', 'aria-label': 'Tools' }, ...tools),
    strip,
    room,
    side,
  );

  let entered: Path = [];
  await loaded;
  const page = openPage(frame, model, {
    onEnter(path) {
      entered = path;
      model.said = '';
      tell();
    },
    onOpen([key = '', ...others], text) {
      // A number that was pressed is known by its digits.
      const digits = text.replace(/\D/g, '');
      const number = model.state.fields.find(
        ({ kind, path }) =>
          kind === 'number' && keyOf(path).startsWith(`${key}.`) && String(model.valueOf(path)) === digits,
      );
      const found = number ?? [key, ...others].map(model.find).find((one) => one);
      if (found) panel.show(String(found.path[0]), found.path);
    },
    onPhoto(file) {
      panel.show('founder');
      void panel.use(file);
    },
  });

  /** The strip is always there: what appears as she types would move the page under her mouse. */
  function tell(): void {
    const { clash } = model;
    const found = model.find(keyOf(entered));
    const why = model.refusedAt(entered)?.why;
    const list = model.state.fields.findLast(
      ({ kind, path }) => kind === 'list' && keyOf(entered).startsWith(`${keyOf(path)}.`),
    );
    const isOurs = found?.ours === undefined || isSame(found.ours, model.valueOf(entered));
    const rule = found?.kind === 'text' && found.rule ? ` It ${found.rule}.` : '';
    const put = (value: unknown, save: Promise<boolean>) => {
      page.put(clash?.path ?? entered, value);
      void save;
    };
    const saying = clash
      ? `On another device, it’s now “${model.valueOf(clash.path)}”.`
      : (why ?? model.said);
    strip.replaceChildren(
      h('p', {}, h('b', {}, found?.label ?? 'Press a text to change it.'), ` ${found?.help ?? ''}${rule}`),
      h('p', { className: clash || why ? 'why' : 'said', role: 'status' }, saying),
      ...(clash
        ? [
            button('Keep mine', () => put(clash.value, model.settle(clash, clash.value))),
            button('Take that one', () => {
              const value = model.valueOf(clash.path);
              put(value, model.settle(clash, value));
            }),
          ]
        : []),
      ...(list
        ? [
            button('Order, add, remove', () =>
              panel.show(String(entered[0]), entered.slice(0, list.path.length + 1)),
            ),
          ]
        : []),
      ...(isOurs
        ? []
        : [
            button('Back to ours', () =>
              put(
                found.ours,
                model.save(entered, () => found.ours),
              ),
            ),
          ]),
    );
    const { length } = model.state.changes;
    publish.textContent = length > 0 ? `Publish (${length})` : 'Publish';
  }

  /** A laptop has less room beside the panel than the page has on a desk, so it's shown smaller there. */
  function resize(): void {
    for (const one of widths)
      one.setAttribute('aria-pressed', String(WIDTHS[one.textContent as 'Phone'] === width));
    const { clientWidth, clientHeight } = room;
    const isPhone = width === WIDTHS.Phone;
    const scale = Math.min(1, clientWidth / width);
    frame.style.width = `${isPhone ? Math.min(width, clientWidth) : Math.max(width, clientWidth)}px`;
    frame.style.height = `${clientHeight / scale}px`;
    frame.style.transform = `scale(${scale})`;
    frame.style.marginInline = isPhone ? 'auto' : '0';
  }
  new ResizeObserver(resize).observe(room);
  resize();

  await model.act('state');
  root.querySelector('.waiting')?.remove();
  addEventListener('pagehide', model.flush);
  document.addEventListener('visibilitychange', () => {
    if (document.hidden) model.flush();
    // Another device may have changed something meanwhile.
    else void model.act('state');
  });
}

const root = document.getElementById('editor');
if (root) await start(root);
