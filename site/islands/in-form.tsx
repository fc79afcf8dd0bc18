import { useSyncExternalStore } from 'react';
import { createRoot, type Root } from 'react-dom/client';
import { keepReceipt, stampOf } from './receipt.ts';
import { sendMessage } from './send-message.ts';
import { ToastView, type ToastWords } from './ToastView.tsx';
import { dismiss, getSnapshot, subscribe, type ToastContent, toast } from './toast-store.ts';

let toaster: Root | undefined;

/** The first one replaces what was in this place. */
function showToast(place: HTMLElement, content: ToastContent, words: ToastWords): void {
  if (!toaster) {
    place.replaceChildren();
    toaster = createRoot(place);
    toaster.render(<Toaster words={words} />);
  }
  toast(content);
}

function Toaster({ words }: { words: ToastWords }) {
  const current = useSyncExternalStore(subscribe, getSnapshot);
  return current && <ToastView toast={current} words={words} />;
}

/** What only somebody in the form needs, with React. It has no words of the page, so it changes only with its code. */
export const inForm = { sendMessage, showToast, dismissToast: () => dismiss(), keepReceipt, stampOf };
