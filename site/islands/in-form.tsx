import { createRoot } from 'react-dom/client';
import { keepReceipt, stampOf } from './receipt.tsx';
import { sendMessage } from './send-message.ts';
import { ToastView, type ToastWords } from './ToastView.tsx';
import { dismiss, renderToasts, type ToastContent, toast } from './toast-store.ts';

let isRendered = false;

/** The first one replaces what was in this place. */
function showToast(place: HTMLElement, content: ToastContent, words: ToastWords): void {
  if (!isRendered) {
    isRendered = true;
    place.replaceChildren();
    const root = createRoot(place);
    renderToasts((current) => root.render(<ToastView toast={current} words={words} />));
  }
  toast(content);
}

/** What only somebody in the form needs, with React. It has no words of the page, so it changes only with its code. */
export const inForm = { sendMessage, showToast, dismissToast: () => dismiss(), keepReceipt, stampOf };
