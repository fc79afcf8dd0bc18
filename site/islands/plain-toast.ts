import { pageData } from './page-data.ts';
import styles from './Toaster.module.css';
import { TOAST_DURATION, type ToastContent } from './toast-store.ts';

/** For when the script with Radix can't be loaded: like its toast, but without swiping. */
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
  const remove = () => region.remove();
  close.addEventListener('click', remove);
  toast.append(made('strong', styles.title, title), made('span', styles.description, description), close);
  region.append(toast);

  // It moves nothing: browsers know how to pause an animation.
  const time = region.animate([], TOAST_DURATION);
  time.addEventListener('finish', remove);
  const goOn = () => region.matches(':hover, :focus-within') || time.play();
  for (const name of ['pointerenter', 'focusin']) region.addEventListener(name, () => time.pause());
  for (const name of ['pointerleave', 'focusout']) region.addEventListener(name, goOn);
  // Once it's gone, there's nothing to focus.
  document.addEventListener('keydown', ({ key }) => key === 'F8' && close.focus());
}
