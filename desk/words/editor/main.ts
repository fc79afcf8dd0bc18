import './editor.css';
import { button, h } from './elements.ts';
import { isSame, keyOf, openModel, type Path } from './model.ts';
import { openPage } from './page.ts';
import { openPanel } from './panel.ts';

/** The width of the page's layout for desktops, in pixels. */
const DESKTOP = 1280;
const PHONE = 390;
/** Below it, the panel lies over the page. */
const NARROW = 960;

async function start(root: HTMLElement): Promise<void> {
  const base = location.pathname.replace(/\/$/, '');
  const model = await openModel(base, root.dataset.token ?? '');
  const frame = h('iframe', { src: `${base}/page`, title: 'Your page' });
  const room = h('div', { className: 'room' }, frame);
  const side = h('section', {
    className: 'panel',
    'aria-label': 'Beside the page',
    hidden: innerWidth < NARROW,
  });
  const panel = openPanel(side, model);
  const loaded = new Promise((resolve) => {
    frame.onload = resolve;
  });

  const chosen = h('select', { 'aria-label': 'Page' });
  for (const [path, name] of Object.entries(model.state.pages))
    chosen.append(h('option', { value: path }, name));
  const publish = button('Publish', () => panel.show('publish'), { className: 'button button-main' });
  let width = innerWidth < NARROW ? PHONE : DESKTOP;
  const widths = [
    { words: 'Phone', pixels: PHONE },
    { words: 'Desktop', pixels: DESKTOP },
  ].map(({ words, pixels }) => {
    const one = button(words, () => {
      width = pixels;
      scale();
    });
    return { one, pixels };
  });
  const tools = h(
    'div',
    { className: 'tools', role: 'toolbar', 'aria-label': 'Words' },
    chosen,
    h('span', { className: 'widths' }, ...widths.map(({ one }) => one)),
    button('All words', () => panel.show('parts')),
    button('Earlier', () => panel.show('earlier')),
    publish,
  );
  const strip = h('div', { className: 'strip', role: 'group', 'aria-label': 'What you’re typing in' });
  root.replaceChildren(tools, strip, room, side);
  await loaded;

  let entered: Path | undefined;
  const page = openPage(frame, model, {
    onEnter(path) {
      entered = path;
      model.said = '';
      tell();
    },
    onOpen([key = '', ...others], text) {
      const found = model.find(key);
      if (!found) return;
      // A number that was pressed is known by its digits.
      const digits = text.replace(/\D/g, '');
      const number = model
        .all()
        .find(
          (one) =>
            one.kind === 'number' &&
            one.key.startsWith(`${key}.`) &&
            String(model.valueOf(one.path)) === digits,
        );
      const named = [key, ...others].map((one) => model.find(one)).find((one) => one?.kind !== 'group');
      panel.show({ part: String(found.path[0]) }, (number ?? named ?? found).path);
    },
    onPhoto(file) {
      panel.show({ part: 'founder' });
      void panel.use(file, side.querySelector<HTMLElement>('.why') ?? side);
    },
  });

  /** The strip is always there: what appears as she types would move the page under her mouse. */
  function tell(): void {
    const clash = model.clash();
    const found = entered && model.find(keyOf(entered));
    const why = (entered && model.refusedAt(entered)?.why) ?? '';
    const list =
      entered && model.all().findLast((one) => one.kind === 'list' && entered && isWithin(entered, one.path));
    const rule = found?.kind === 'text' && found.rule ? ` It ${found.rule}.` : '';
    const isOurs = found?.ours === undefined || isSame(found.ours, model.valueOf(found.path));
    const saying = clash ? `It’s “${clash.now}” on another device now.` : why || model.said;
    strip.replaceChildren(
      h(
        'p',
        { className: 'what' },
        h('b', {}, found?.label ?? 'Press a text to change it.'),
        ` ${found?.help ?? ''}${rule}`,
      ),
      h('p', { className: why || clash ? 'why' : 'said', role: 'status' }, saying),
      ...(clash
        ? [
            button(
              'Keep mine',
              () => void put(clash.path, clash.typed, () => model.settle(clash, clash.typed)),
            ),
            button(
              'Take that one',
              () => void put(clash.path, clash.now, () => model.settle(clash, clash.now)),
            ),
          ]
        : []),
      ...(list
        ? [
            button(`“${list.title}”`, () => panel.show({ part: String(list.path[0]) }, entered), {
              'aria-label': `Order, add or remove in “${list.title}”`,
            }),
          ]
        : []),
      ...(found && !isOurs ? [button('Back to ours', () => void put(found.path, found.ours))] : []),
    );
    const { length } = model.state.changes;
    publish.textContent = length > 0 ? `Publish (${length})` : 'Publish';
  }

  async function put(path: Path, value: unknown, save = () => model.save(path, value)): Promise<void> {
    page.put(path, String(value));
    await save();
  }

  /** A laptop has less room beside the panel than the page has on a desk, so it's shown smaller there. */
  function scale(): void {
    for (const { one, pixels } of widths) one.setAttribute('aria-pressed', String(pixels === width));
    const { clientWidth, clientHeight } = room;
    const factor = Math.min(1, clientWidth / width);
    const shown = width === PHONE ? Math.min(PHONE, clientWidth) : Math.max(width, clientWidth);
    frame.style.width = `${shown}px`;
    frame.style.height = `${clientHeight / factor}px`;
    frame.style.transform = `scale(${factor})`;
    frame.style.marginInline = width === PHONE ? 'auto' : '0';
  }
  new ResizeObserver(scale).observe(room);

  let wanted = 0;
  let isShowing = false;
  /** The newest draft, and once more if it was changed while this was on its way. */
  async function showPage(): Promise<void> {
    wanted += 1;
    if (isShowing) return;
    isShowing = true;
    for (let shown = 0; shown !== wanted; ) {
      shown = wanted;
      await page.show(chosen.value).catch(({ message }: Error) => model.say(message));
    }
    isShowing = false;
  }
  chosen.onchange = () => void showPage();
  let { version } = model.state;
  model.listen(() => {
    if (version !== model.state.version) void showPage();
    version = model.state.version;
    page.mark();
    tell();
  });
  addEventListener('pagehide', model.flush);
  document.addEventListener('visibilitychange', () => {
    if (document.hidden) model.flush();
    // Another device may have changed something meanwhile.
    else void model.refresh();
  });
  tell();
  scale();
  await showPage();
}

const isWithin = (path: Path, of: Path) => keyOf(path).startsWith(`${keyOf(of)}.`);

const root = document.getElementById('editor');
if (root)
  start(root).catch((error: Error) => root.replaceChildren(h('p', { className: 'waiting' }, error.message)));
