/** What is on screen, kept outside React so that any island can speak without knowing who shows it. */
export type ToastContent = {
  title: string;
  description: string;
  variant?: 'default' | 'destructive';
  /** Milliseconds on screen. */
  duration?: number;
};

export type Toast = Required<ToastContent> & {
  id: number;
  /** False while it leaves the screen. */
  open: boolean;
  /** Counts updates: changed words are announced again and get their full time. */
  revision: number;
};

export type ToastHandle = {
  id: number;
  dismiss: () => void;
  update: (next: Partial<ToastContent>) => void;
};

export const TOAST_DURATION = 5000;

// One place for one toast: whatever is put here replaces what was there.
let current: Toast | undefined;
let lastId = 0;
const listeners = new Set<() => void>();

function show(next: Toast) {
  current = next;
  for (const listener of listeners) listener();
}

export function toast(content: ToastContent): ToastHandle {
  lastId += 1;
  const id = lastId;
  show({ variant: 'default', duration: TOAST_DURATION, ...content, id, open: true, revision: 0 });
  return { id, dismiss: () => dismiss(id), update: (next) => update(id, next) };
}

/** Without an id: whichever toast is on screen. */
export function dismiss(id?: number) {
  if (!current?.open || (id !== undefined && id !== current.id)) return;
  show({ ...current, open: false });
}

/** A toast that was replaced or has left the screen stays gone. */
function update(id: number, next: Partial<ToastContent>) {
  if (!current?.open || id !== current.id) return;
  show({ ...current, ...next, revision: current.revision + 1 });
}

export function subscribe(listener: () => void) {
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
  };
}

export function getSnapshot() {
  return current;
}
