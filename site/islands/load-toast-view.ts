/** Radix weighs more than the rest of the page's own code, so it comes only when there is news. */
export function loadToastView() {
  return import('./ToastView.tsx');
}
