import { type FocusEvent, type InputEvent, type SubmitEvent, useEffect, useRef, useState } from 'react';
import {
  clientInfo,
  DEFAULT_ANON_KEY,
  eachField,
  FIELD_NAMES,
  FIELDS,
  type Field,
  FUNCTION_NAME,
  FUNCTIONS_PATH,
  HONEYPOT_FIELD,
  SENT_ANCHOR,
} from '../../contract/contact-message.ts';
import { contactForm } from '../content/contact-form.ts';
import styles from './ContactForm.module.css';
import { readDraft, saveDraft } from './draft.ts';
import type { Fault, Outcome } from './outcome.ts';
import { withReplyTime } from './outcome-words.ts';
import { sendMessage } from './send-message.ts';
import { loadToastView } from './Toaster.tsx';
import { toast } from './toast-store.ts';

/** A path on this host, or an address in the configured project. */
const FUNCTIONS_URL = `${import.meta.env.VITE_SUPABASE_URL ?? ''}${FUNCTIONS_PATH}`;

/** What a draft took to write, at least. It comes back at once, and may be sent at once. */
const EARLIER_MS = 60_000;

/** Each field's label and hint. */
const words: Record<Field, { label: string; hint?: string }> = contactForm.fields;

type ContactFormProps = {
  /** For the page that returns an unsent message. It's never hydrated. */
  givenBack?: Record<Field, { typed: string; error: string; invalid: 'true' | 'false' }>;
};

/**
 * A plain form that works without React, which only takes over sending. The fields are uncontrolled, so hydration keeps
 * what was typed before it.
 */
export function ContactForm({ givenBack }: ContactFormProps) {
  const form = useRef<HTMLFormElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const inFlight = useRef(false);
  const earlierMs = useRef(0);
  const [sending, setSending] = useState(false);
  const [outcome, setOutcome] = useState<Outcome>();
  const [fault, setFault] = useState<Fault>();
  /** The domain that the e-mail address was probably meant to have. */
  const [better, setBetter] = useState<string>();
  const question = better && contactForm.didYouMean.replace('{domain}', better);
  const status = sending ? 'sending' : !outcome ? 'draft' : outcome.sent ? 'sent' : 'failed';

  useEffect(() => {
    if (!form.current) return;
    if (cameBackSent()) saveDraft({});
    const draft = readDraft();
    if (draft.message) earlierMs.current = EARLIER_MS;
    fillEmptyFields(form.current, draft);
    saveDraft(messageIn(form.current));
  }, []);

  useEffect(() => {
    if (!outcome) return;
    const field = outcome.fault && fieldIn(form.current, outcome.fault.field);
    // Only now that the error is beside the field, so screen readers read the two together.
    field?.focus();
    // The toast may cover it, and a form that's emptied moves up.
    (field ?? button.current)?.parentElement?.scrollIntoView({ block: 'nearest' });
  }, [outcome]);

  function keep({ currentTarget, target }: InputEvent<HTMLFormElement>) {
    saveDraft(messageIn(currentTarget));
    if (fault && target === fieldIn(currentTarget, fault.field)) setFault(undefined);
    if (target === fieldIn(currentTarget, 'email')) setBetter(undefined);
    if (!inFlight.current) setOutcome(undefined);
  }

  async function doubt({ currentTarget }: FocusEvent<HTMLFormElement>) {
    const email = fieldIn(currentTarget, 'email');
    // Fetched only now. Without it, nothing is asked.
    const rule = await import('../../contract/address-doubt.ts').catch(() => undefined);
    if (email && !inFlight.current) setBetter(rule?.addressDoubt(email.value)?.better);
  }

  function correct() {
    const email = fieldIn(form.current, 'email');
    if (!form.current || !email) return;
    email.value = email.value.replace(/@.*/, `@${better}`);
    saveDraft(messageIn(form.current));
    setBetter(undefined);
    // The button is gone, and the focus would be too.
    email.focus();
  }

  async function send(event: SubmitEvent<HTMLFormElement>) {
    event.preventDefault();
    if (inFlight.current) return;
    inFlight.current = true;
    setSending(true);
    setBetter(undefined);
    setOutcome(undefined);
    const sheet = event.currentTarget;
    const url = new URL(FUNCTIONS_URL, location.href).href;
    const key = import.meta.env.VITE_SUPABASE_ANON_KEY || DEFAULT_ANON_KEY;
    const info = clientInfo(fieldIn(sheet, HONEYPOT_FIELD)?.value, event.timeStamp + earlierMs.current);
    const result = await sendMessage(messageIn(sheet), url, key, info);
    if (result.sent) {
      sheet.reset();
      saveDraft({});
    }
    // A failure that names no field keeps the mark: that field hasn't changed.
    if (result.sent || result.fault) setFault(result.fault);
    setSending(false);
    setOutcome(result);
    toast(result.toast);
    inFlight.current = false;
  }

  return (
    <>
      <form
        ref={form}
        id="contact-form"
        className={styles.form}
        aria-labelledby="contact-heading"
        action={`${FUNCTIONS_URL}/${FUNCTION_NAME}`}
        method="post"
        aria-busy={sending || undefined}
        data-status={sending || outcome ? status : undefined}
        // The connection may be gone when the toast has to say so. The toaster handles failures.
        onFocus={() => void loadToastView().catch(() => {})}
        onBlur={doubt}
        onInput={keep}
        onSubmit={send}
      >
        <p className={styles.strip}>
          <span>{contactForm.sheet}</span>
          <span>
            {`${contactForm.statusLabel} `}
            <b>{contactForm.status[status]}</b>
          </span>
        </p>

        {FIELD_NAMES.map((name) => {
          const { required, multiline, input } = FIELDS[name];
          const { label, hint } = words[name];
          const id = `contact-${name}`;
          const back = import.meta.env.SSR ? givenBack?.[name] : undefined;
          const error = back?.error ?? (fault?.field === name ? fault.error : undefined);
          const notes = Object.entries({ error, hint }).filter(([, note]) => note);
          const shared = {
            id,
            name,
            defaultValue: back?.typed,
            required,
            readOnly: sending,
            'aria-invalid': back?.invalid ?? (!!error || undefined),
            'aria-describedby': notes.map(([kind]) => `${id}-${kind}`).join(' ') || undefined,
          };
          return (
            <p key={name} className={styles.field}>
              <label htmlFor={id}>{label}</label>
              {multiline ? <textarea {...shared} rows={4} /> : <input {...shared} type="text" {...input} />}
              {/* Takes no room, so nothing moves away from under a pointer on its way to the next field. */}
              {name === 'email' && question && (
                <button type="button" className={styles.better} onClick={correct}>
                  {question}
                </button>
              )}
              {notes.map(([kind, note]) => (
                <small key={kind} id={`${id}-${kind}`}>
                  {note}
                </small>
              ))}
            </p>
          );
        })}

        <p className={styles.trap} aria-hidden="true">
          <label htmlFor="contact-trap">{contactForm.trapLabel}</label>
          <input id="contact-trap" name={HONEYPOT_FIELD} type="text" tabIndex={-1} autoComplete="off" />
        </p>

        <div className={styles.foot}>
          {/* Not `disabled` while sending: the button would lose focus. */}
          <button ref={button} type="submit" className={styles.button} aria-disabled={sending || undefined}>
            <span className={styles.idle}>{contactForm.button}</span>
            <span className={styles.busy}>{contactForm.sending}</span>
          </button>
          {/* What the toast says goes with it; this stays. */}
          <small>
            {outcome && <b>{contactForm.status[status]}. </b>}
            {outcome?.fault ? contactForm.marked : (outcome?.reason ?? withReplyTime(contactForm.promise))}
          </small>
        </div>
      </form>
      {/* Outside the form: screen readers say nothing of what's busy. They say the outcome with the toast. */}
      <span aria-live="polite" className="visually-hidden">
        {sending ? contactForm.sending : question}
      </span>
    </>
  );
}

function messageIn(form: HTMLFormElement) {
  const data = new FormData(form);
  return eachField((field) => String(data.get(field) ?? ''));
}

function fieldIn(form: HTMLFormElement | null, name: string) {
  const field = form?.elements.namedItem(name);
  return field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement ? field : undefined;
}

function fillEmptyFields(form: HTMLFormElement, draft: Readonly<Record<string, string>>) {
  for (const [name, text] of Object.entries(draft)) {
    const field = fieldIn(form, name);
    if (field && !field.value) field.value = text;
  }
}

/** After a post without JavaScript, but not after a later reload: there may be a new draft by then. */
function cameBackSent() {
  const [arrival] = performance.getEntriesByType('navigation');
  const fresh = arrival instanceof PerformanceNavigationTiming && arrival.type === 'navigate';
  return fresh && location.hash === `#${SENT_ANCHOR}`;
}
