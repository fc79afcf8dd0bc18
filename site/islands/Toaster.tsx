import { useEffect, useState, useSyncExternalStore } from 'react';
import { notifications } from '../content/contact-form.ts';
import styles from './Toaster.module.css';
import type { ToastView } from './ToastView.tsx';
import { dismiss, getSnapshot, subscribe, type Toast } from './toast-store.ts';

/** How long a toast waits for Radix before it's shown without it. */
const PATIENCE = 1500;

/** Loaded once somebody is in the form, or for the first toast. */
export const loadInForm = () => import('./in-form.ts').then(({ inForm }) => inForm);

/** Shows what's in the toast store; nothing until the first toast. */
export function Toaster() {
  const toast = useSyncExternalStore(subscribe, getSnapshot, () => undefined);
  const [View, setView] = useState<typeof ToastView>();
  const [plainId, setPlainId] = useState<number>();
  const id = toast?.id;

  useEffect(() => {
    if (id === undefined || View) return;
    const timer = setTimeout(setPlainId, PATIENCE, id);
    loadInForm().then(
      (loaded) => setView(() => loaded.ToastView),
      () => setPlainId(id),
    );
    return () => clearTimeout(timer);
  }, [id, View]);

  if (!toast) return null;
  // A toast that was shown plain stays plain, or it would be announced twice.
  if (plainId === toast.id) return <PlainToast toast={toast} />;
  return View ? <View toast={toast} /> : null;
}

/** For when Radix can't be loaded. */
function PlainToast({ toast }: { toast: Toast }) {
  return (
    <div className={styles.viewport} role={toast.variant === 'destructive' ? 'alert' : 'status'}>
      {toast.open && (
        <div className={styles.toast} data-variant={toast.variant}>
          <strong className={styles.title}>{toast.title}</strong>
          <span className={styles.description}>{toast.description}</span>
          <button type="button" aria-label={notifications.close} onClick={() => dismiss(toast.id)} />
        </div>
      )}
    </div>
  );
}
