import * as Radix from '@radix-ui/react-toast';
import { type CSSProperties, useEffect, useRef, useState } from 'react';
import { createRoot } from 'react-dom/client';
import { keepReceipt, stampOf } from './receipt.tsx';
import { sendMessage } from './send-message.ts';
import styles from './Toaster.module.css';
import {
  dismiss,
  renderToasts,
  TOAST_DURATION,
  type Toast,
  type ToastContent,
  toast,
} from './toast-store.ts';

type ToastWords = Record<'label' | 'region' | 'close', string>;

function ToastView({ toast, words }: { toast: Toast; words: ToastWords }) {
  const place = useRef<HTMLDivElement>(null);
  useFocusReturn(place, toast);

  return (
    <div ref={place}>
      <TimedToast key={toast.id} toast={toast} words={words} />
    </div>
  );
}

/** One per toast, since a pause would carry over to the next one. */
function TimedToast({ toast, words }: { toast: Toast; words: ToastWords }) {
  const [paused, setPaused] = useState(false);

  return (
    <Radix.Provider label={words.label} duration={TOAST_DURATION} swipeDirection="right" swipeThreshold={50}>
      <Radix.Root
        key={toast.revision}
        className={styles.toast}
        data-variant={toast.variant}
        data-paused={paused}
        style={{ '--time': `${TOAST_DURATION}ms` } as CSSProperties}
        open={toast.open}
        onOpenChange={(open) => open || dismiss(toast.id)}
        onPause={() => setPaused(true)}
        onResume={() => setPaused(false)}
      >
        <Radix.Title className={styles.title}>{toast.title}</Radix.Title>
        {/* For screen readers: Radix announces the two without a space. */ ' '}
        <Radix.Description ref={letKeysScroll} className={styles.description}>
          {toast.description}
        </Radix.Description>
        <Radix.Close aria-label={words.close} />
        <i />
      </Radix.Root>
      <Radix.Viewport className={styles.viewport} label={words.region} hotkey={['F8']} />
    </Radix.Provider>
  );
}

/** Safari's Tab skips what only scrolls. */
function letKeysScroll(text: HTMLElement | null) {
  if (text && text.scrollHeight > text.clientHeight) text.tabIndex = 0;
}

function useFocusReturn(place: { current: HTMLElement | null }, toast: Toast) {
  const origin = useRef<Element>(document.activeElement);
  const inside = useRef(false);
  useEffect(() => {
    function remember({ target }: FocusEvent) {
      inside.current = target instanceof Node && Boolean(place.current?.contains(target));
      if (!inside.current && target instanceof Element) origin.current = target;
    }
    document.addEventListener('focusin', remember);
    return () => document.removeEventListener('focusin', remember);
  }, [place]);

  const { id, open } = toast;
  // biome-ignore lint/correctness/useExhaustiveDependencies: a replaced toast loses the focus as well
  useEffect(() => {
    const homeless = !open || document.activeElement === document.body;
    if (inside.current && homeless && origin.current instanceof HTMLElement) {
      origin.current.focus({ preventScroll: true });
    }
  }, [id, open]);
}

let isRendered = false;

/** The first toast replaces what was in this place. */
function showToast(place: HTMLElement, content: ToastContent, words: ToastWords): void {
  if (!isRendered) {
    isRendered = true;
    place.replaceChildren();
    const root = createRoot(place);
    renderToasts((current) => root.render(<ToastView toast={current} words={words} />));
  }
  toast(content);
}

/** What's needed only in the form, with React. It has none of the page's words, so it changes only with its code. */
export const inForm = { sendMessage, showToast, dismissToast: () => dismiss(), keepReceipt, stampOf };
