import {
  type FocusEvent,
  type InputEvent,
  type ReactNode,
  type SubmitEvent,
  type SyntheticEvent,
  useEffect,
  useRef,
  useState,
} from 'react';
import {
  clientInfo,
  DEFAULT_ANON_KEY,
  FIELD_NAMES,
  FIELDS,
  type Field,
  FUNCTION_NAME,
  FUNCTIONS_PATH,
  HONEYPOT_FIELD,
  SENT_ANCHOR,
} from '../../contract/contact-message.ts';
import { topicLine } from '../../contract/topics.ts';
import { contactForm, outcomes } from '../content/contact-form.ts';
import styles from './ContactForm.module.css';
import { readDraft, saveDraft } from './draft.ts';
import { draftIn, type Faults, faultsIn, fieldIn, fillEmptyFields, messageIn } from './form-fields.ts';
import { failed, withReplyTime } from './outcome-words.ts';
import { loadInForm } from './Toaster.tsx';
import { Topics } from './Topics.tsx';
import { dismiss, toast } from './toast-store.ts';
import { chooseTopic, readTopics } from './topics.ts';

/** A path on this host, or an address in the configured project. */
const FUNCTIONS_URL = `${import.meta.env.VITE_SUPABASE_URL ?? ''}${FUNCTIONS_PATH}`;

/** What the form says of the last try, beside its button. */
export type Result = {
  stamp: ReactNode;
  status: 'sent' | 'failed' | 'incomplete';
  note?: ReactNode;
  scene?: ReactNode;
};

/** Each field's label and hint. */
const words: Record<Field, { label: string; hint?: string }> = contactForm.fields;

type ContactFormProps = {
  /** For the page that returns an unsent message. It's never hydrated. */
  givenBack?: Record<Field, { typed: string; error: string; invalid: 'true' | 'false' }>;
  lastTry?: Result;
};

/**
 * A plain form that works without React, which only takes over sending. The fields are uncontrolled, so hydration keeps
 * what was typed before it.
 */
export function ContactForm({ givenBack, lastTry }: ContactFormProps) {
  const form = useRef<HTMLFormElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const earlierMs = useRef(0);
  const [sending, setSending] = useState(false);
  const [result, setResult] = useState(import.meta.env.SSR ? lastTry : undefined);
  const [faults, setFaults] = useState<Faults>({});
  /** The domain that the e-mail address was probably meant to have. */
  const [better, setBetter] = useState<string>();
  const question = !sending && better && contactForm.didYouMean.replace('{domain}', better);

  useEffect(() => {
    const sheet = form.current;
    if (!sheet) return;
    if (cameBackSent()) saveDraft({});
    const draft = readDraft();
    // What it took to write, at least. It comes back at once, and may be sent at once.
    if (draft.message) earlierMs.current = 60_000;
    fillEmptyFields(sheet, draft);
    for (const topic of draft.topics ?? []) chooseTopic(topic, true);
    const keepDraft = () => saveDraft(draftIn(sheet));
    keepDraft();
    // A problem was ticked, or a package asked about.
    document.addEventListener('change', keepDraft);
    return () => document.removeEventListener('change', keepDraft);
  }, []);

  useEffect(() => {
    if (!result) return;
    const field = form.current?.querySelector<HTMLElement>('[aria-invalid]');
    // Only now that the error is beside the field, so screen readers read the two together.
    field?.focus();
    // The toast may cover it, and a form that's emptied moves up.
    (field ?? button.current)?.parentElement?.scrollIntoView({ block: 'nearest' });
  }, [result]);

  function keep({ currentTarget, target }: InputEvent<HTMLFormElement>) {
    saveDraft(draftIn(currentTarget));
    const rest = FIELD_NAMES.filter((name) => faults[name] && target !== fieldIn(currentTarget, name));
    setFaults(Object.fromEntries(rest.map((name) => [name, faults[name]])));
    if (target === fieldIn(currentTarget, 'email')) setBetter(undefined);
    if (!sending && rest.length === 0) setResult(undefined);
  }

  function mark(event: SyntheticEvent) {
    event.preventDefault();
    setFaults(faultsIn(form.current));
    setResult({ ...INCOMPLETE });
  }

  async function doubt({ currentTarget }: FocusEvent<HTMLFormElement>) {
    const email = fieldIn(currentTarget, 'email');
    // Fetched only now. Without it, nothing is asked.
    const rule = await import('../../contract/address-doubt.ts').catch(() => undefined);
    if (email) setBetter(rule?.addressDoubt(email.value)?.better);
  }

  function correct() {
    const email = fieldIn(form.current, 'email');
    if (!form.current || !email) return;
    email.value = email.value.replace(/@.*/, `@${better}`);
    saveDraft(draftIn(form.current));
    setBetter(undefined);
    // The button is gone, and the focus would be too.
    email.focus();
  }

  async function send(event: SubmitEvent<HTMLFormElement>) {
    event.preventDefault();
    if (sending) return;
    setSending(true);
    setResult(undefined);
    dismiss();
    const sheet = event.currentTarget;
    const url = new URL(FUNCTIONS_URL, location.href).href;
    const key = import.meta.env.VITE_SUPABASE_ANON_KEY || DEFAULT_ANON_KEY;
    const info = clientInfo(fieldIn(sheet, HONEYPOT_FIELD)?.value, event.timeStamp + earlierMs.current);
    const topics = readTopics();
    const message = messageIn(sheet);
    message.message = topicLine(contactForm.topics.label, topics) + message.message;
    const loaded = await loadInForm().catch(() => undefined);
    const outcome = loaded
      ? await loaded.sendMessage(message, url, key, info)
      : failed(outcomes.failed.unreachable);
    setSending(false);
    setBetter(undefined);
    if (outcome.sent) {
      sheet.reset();
      for (const topic of topics) chooseTopic(topic, false);
      saveDraft({});
      setFaults({});
      setResult(loaded?.arrived());
    } else if (outcome.fault) {
      setFaults({ [outcome.fault.field]: outcome.fault.error });
      setResult({ ...INCOMPLETE });
    } else {
      setResult(unsent(outcome.reason, message.message));
    }
    toast(outcome.toast);
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
        data-status={result?.status}
        // The connection may be gone when the toast has to say so. The toaster handles failures.
        onFocus={() => void loadInForm().catch(() => {})}
        onBlur={doubt}
        onInput={keep}
        onSubmit={send}
      >
        <p className="label">{contactForm.sheet}</p>
        <Topics disabled={sending} />
        {FIELD_NAMES.map((name) => {
          const { required, multiline, input } = FIELDS[name];
          const { label, hint } = words[name];
          const id = `contact-${name}`;
          const back = import.meta.env.SSR ? givenBack?.[name] : undefined;
          const error = back?.error ?? faults[name];
          const notes = Object.entries({ error, hint }).filter(([, note]) => note);
          const shared = {
            id,
            name,
            defaultValue: back?.typed,
            required,
            readOnly: sending,
            'aria-invalid': back?.invalid ?? (!!error || undefined),
            onInvalid: mark,
            'aria-describedby': notes.map(([kind]) => `${id}-${kind}`).join(' ') || undefined,
          };
          return (
            <p key={name} className={styles.field}>
              <label htmlFor={id}>{label}</label>
              {multiline ? <textarea {...shared} rows={4} /> : <input {...shared} type="text" {...input} />}
              {/* Takes no room, so nothing moves away from under a pointer on its way to the next field. */}
              {name === 'email' && question && (
                <button type="button" onClick={correct}>
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

        {/* For bots that fill in every field. Nobody can see, hear or reach it. */}
        <p className="visually-hidden" aria-hidden="true">
          <label htmlFor="contact-trap">{contactForm.trapLabel}</label>
          <input id="contact-trap" name={HONEYPOT_FIELD} type="text" tabIndex={-1} autoComplete="off" />
        </p>

        <div className={styles.foot}>
          {result?.scene}
          {/* Not `disabled` while sending: the button would lose focus. */}
          <button
            ref={button}
            type="submit"
            className={`button ${styles.send}`}
            aria-disabled={sending || undefined}
          >
            <span>{contactForm.button}</span>
            <span>{contactForm.sending}</span>
          </button>
          {/* What the toast says goes with it; this stays. */}
          <small>
            {result && <b>{result.stamp} </b>}
            {result ? result.note : withReplyTime(contactForm.promise)}
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

const INCOMPLETE: Result = {
  stamp: contactForm.status.incomplete,
  status: 'incomplete',
  note: contactForm.marked,
};

/** Why sending failed, and the way out: the same message in the visitor's own mail program. */
function unsent(reason: string, text: string): Result {
  const link = document.querySelector<HTMLAnchorElement>('a[href^=mailto]');
  const body = `?body=${encodeURIComponent(text)}`;
  const note = (
    <>
      {`${reason} ${contactForm.instead} `}
      {/* Windows opens no longer links. The message is still in the form. */}
      <a href={link?.href + (body.length < 1900 ? body : '')}>{link?.pathname}</a>
    </>
  );
  return { stamp: contactForm.status.failed, status: 'failed', note };
}

/** After a post without JavaScript, but not after a later reload: there may be a new draft by then. */
function cameBackSent() {
  const [arrival] = performance.getEntriesByType('navigation');
  const fresh = arrival instanceof PerformanceNavigationTiming && arrival.type === 'navigate';
  return fresh && location.hash === `#${SENT_ANCHOR}`;
}
