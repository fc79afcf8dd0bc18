export type ToastContent = {
  title: string;
  description: string;
  variant?: 'default' | 'destructive';
};

export type Toast = Required<ToastContent> & {
  id: number;
  /** False while it's leaving the screen. */
  open: boolean;
  /** Counts updates: each is announced again and gets its full time. */
  revision: number;
};

/** In milliseconds. */
export const TOAST_DURATION = 5000;

// One toast at a time: a new one replaces it.
let current: Toast | undefined;
let render: (toast: Toast) => void = () => {};

/** Kept outside React, so that code that shows a toast needn't know who renders it. */
export function renderToasts(how: typeof render) {
  render = how;
}

function show(next: Toast) {
  current = next;
  render(next);
}

export function toast(content: ToastContent) {
  const id = (current?.id ?? 0) + 1;
  let revision = 0;
  show({ variant: 'default', ...content, id, open: true, revision });
  const update = (next: Partial<ToastContent>) => {
    revision += 1;
    change(id, { ...next, revision });
  };
  return { id, dismiss: () => dismiss(id), update };
}

/** Without an id: whichever toast is on screen. */
export function dismiss(id = current?.id) {
  change(id, { open: false });
}

/** Does nothing once the toast was replaced or dismissed. */
function change(id: number | undefined, next: Partial<Toast>) {
  if (current?.open && id === current.id) show({ ...current, ...next });
}
