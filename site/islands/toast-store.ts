export type ToastContent = {
  title: string;
  description: string;
  variant?: 'default' | 'destructive';
  /** Milliseconds on screen. */
  duration?: number;
};

export type Toast = Required<ToastContent> & {
  id: number;
  /** False while it's leaving the screen. */
  open: boolean;
  /** Counts updates: each is announced again and gets its full time. */
  revision: number;
};

export const TOAST_DURATION = 5000;

// One toast at a time: a new one replaces it.
let current: Toast | undefined;
let lastId = 0;
let render: (toast: Toast) => void = () => {};

/** Kept outside React, so whatever shows a toast needn't know who renders it. */
export function renderToasts(how: typeof render) {
  render = how;
}

function show(next: Toast) {
  current = next;
  render(next);
}

export function toast(content: ToastContent) {
  lastId += 1;
  const id = lastId;
  show({ variant: 'default', duration: TOAST_DURATION, ...content, id, open: true, revision: 0 });
  return { id, dismiss: () => dismiss(id), update: (next: Partial<ToastContent>) => update(id, next) };
}

/** Without an id: whichever toast is on screen. */
export function dismiss(id?: number) {
  if (!current?.open || (id !== undefined && id !== current.id)) return;
  show({ ...current, open: false });
}

/** Ignored once the toast was replaced or dismissed. */
function update(id: number, next: Partial<ToastContent>) {
  if (!current?.open || id !== current.id) return;
  show({ ...current, ...next, revision: current.revision + 1 });
}
