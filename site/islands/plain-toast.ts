import { pageData } from './page-data.ts';
import styles from './Toaster.module.css';
import { TOAST_DURATION, type ToastContent } from './toast-store.ts';

/** For when the script with Radix can't be loaded. */
export function showPlainToast(place: HTMLElement, { title, description, variant }: ToastContent): void {
  const made = (tag: string, className = '', text = '') =>
    Object.assign(document.createElement(tag), { className, textContent: text });
  const region = made('div', styles.viewport);
  region.setAttribute('role', variant === 'destructive' ? 'alert' : 'status');
  place.replaceChildren(region);
  const toast = made('div', styles.toast);
  toast.dataset.variant = variant;
  const close = made('button');
  close.setAttribute('aria-label', pageData.notifications.close);
  close.addEventListener('click', () => region.remove());
  toast.append(made('strong', styles.title, title), made('span', styles.description, description), close);
  region.append(toast);
  setTimeout(() => region.remove(), TOAST_DURATION);
}
