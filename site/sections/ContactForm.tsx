import type { ReactNode } from 'react';
import {
  FIELD_NAMES,
  FIELDS,
  type Field,
  FORM_ID,
  FUNCTION_NAME,
  FUNCTIONS_PATH,
  HONEYPOT_FIELD,
} from '../../contract/contact-message.ts';
import { contactForm } from '../content/contact-form.ts';
import { useAssets } from '../ui/assets.ts';
import { filled } from '../ui/words.ts';
import styles from './ContactForm.module.css';
import { YourShop } from './YourShop.tsx';

/** Each field's label and hint. */
const words: Record<Field, { label: string; hint?: string }> = contactForm.fields;

type ContactFormProps = {
  /** For the page that returns an unsent message. */
  givenBack?: Record<Field, { typed: string; error: string; invalid: 'true' | 'false' }>;
  topics?: ReactNode;
  lastTry?: { stamp: ReactNode; note: ReactNode };
};

/** A plain form that works by itself; site/islands/contact-form.ts takes over sending. */
export function ContactForm({ givenBack, topics = <YourShop />, lastTry }: ContactFormProps) {
  return (
    <>
      <form
        id={FORM_ID}
        className={styles.form}
        aria-labelledby="contact-heading"
        action={`${useAssets().supabaseUrl ?? ''}${FUNCTIONS_PATH}/${FUNCTION_NAME}`}
        method="post"
        data-status={lastTry && 'failed'}
        data-invalid={givenBack && FIELD_NAMES.map((name) => givenBack[name].invalid).join(' ')}
      >
        <p className="label">{contactForm.sheet}</p>
        {topics}
        {FIELD_NAMES.map((name) => {
          const { required, multiline, input } = FIELDS[name];
          const { label, hint } = words[name];
          const id = `contact-${name}`;
          const back = givenBack?.[name];
          const shared = {
            id,
            name,
            defaultValue: back?.typed,
            required,
            dir: 'auto',
            'aria-invalid': back?.invalid,
            'aria-describedby': hint ? `${id}-error ${id}-hint` : `${id}-error`,
          };
          return (
            <p
              key={name}
              className={multiline ? styles.field : `${styles.field} ${styles.short}`}
              data-invalid={back?.invalid}
            >
              <label htmlFor={id}>{label}</label>
              {multiline ? <textarea {...shared} rows={4} /> : <input {...shared} type="text" {...input} />}
              {/* Takes no room, so nothing moves away from under a pointer on its way to the next field. */}
              {name === 'email' && !givenBack && <button type="button" hidden />}
              <small id={`${id}-error`}>{back?.error}</small>
              {hint && <small id={`${id}-hint`}>{hint}</small>}
            </p>
          );
        })}

        {/* For bots that fill in every field. Nobody can see, hear or reach it. */}
        <p className="visually-hidden" aria-hidden="true">
          <label htmlFor="contact-trap">{contactForm.trapLabel}</label>
          <input id="contact-trap" name={HONEYPOT_FIELD} type="text" tabIndex={-1} autoComplete="off" />
        </p>

        <div className={styles.foot}>
          <button type="submit" className={`button ${styles.send}`}>
            <span>{contactForm.button}</span>
            <span>{contactForm.sending}</span>
          </button>
          {/* What the toast says goes with it; this stays. */}
          <small>
            {lastTry && <b>{lastTry.stamp} </b>}
            {lastTry ? lastTry.note : filled(contactForm.promise)}
          </small>
        </div>
      </form>
      {/* Outside the form: screen readers say nothing of what's busy. They say the outcome with the toast. */}
      <span aria-live="polite" className="visually-hidden" />
    </>
  );
}
