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
import { brand } from '../content/business.ts';
import { contactForm } from '../content/contact-form.ts';
import { useAssets } from '../ui/assets.ts';
import styles from './ContactForm.module.css';
import { YourShop } from './Plan.tsx';

const words: Record<Field, { label: string; hint?: string }> = contactForm.fields;

/** Works by itself; site/islands/contact-form.ts takes over sending. The server fills in %%places%% of an unsent one. */
export function ContactForm({ unsent }: { unsent?: Record<'topics' | 'stamp' | 'note', ReactNode> }) {
  return (
    <>
      <form
        id={FORM_ID}
        className={styles.form}
        aria-labelledby="contact-heading"
        action={`${useAssets().supabaseUrl ?? ''}${FUNCTIONS_PATH}/${FUNCTION_NAME}`}
        method="post"
        data-status={unsent && 'failed'}
        data-invalid={unsent && FIELD_NAMES.map((name) => `%%${name}-invalid%%`).join(' ')}
      >
        <p className="label" data-brand={brand.name}>
          {contactForm.sheet}
        </p>
        {unsent ? unsent.topics : <YourShop />}
        {FIELD_NAMES.map((name) => {
          const { required, multiline, input } = FIELDS[name];
          const { label, hint } = words[name];
          const id = `contact-${name}`;
          const place = (what = '') => unsent && `%%${name}${what}%%`;
          const invalid = place('-invalid') as 'true' | undefined;
          const shared = {
            id,
            name,
            defaultValue: place(),
            required,
            dir: 'auto',
            'aria-invalid': invalid,
            'aria-describedby': hint ? `${id}-error ${id}-hint` : `${id}-error`,
          };
          return (
            <p
              key={name}
              className={multiline ? styles.field : `${styles.field} ${styles.short}`}
              data-invalid={invalid}
            >
              <label htmlFor={id}>{label}</label>
              {multiline ? <textarea {...shared} rows={4} /> : <input {...shared} type="text" {...input} />}
              {/* Takes no room, so nothing moves away from under a pointer on its way to the next field. */}
              {name === 'email' && !unsent && <button type="button" hidden />}
              <small id={`${id}-error`}>{place('-error')}</small>
              {hint && <small id={`${id}-hint`}>{hint}</small>}
            </p>
          );
        })}

        {/* For bots that fill in every field. Nobody can see, hear or reach it. */}
        <p className="visually-hidden" aria-hidden="true">
          <label htmlFor="contact-trap">{contactForm.trapLabel}</label>
          <input id="contact-trap" name={HONEYPOT_FIELD} type="text" tabIndex={-1} autoComplete="off" />
        </p>

        <div className={`wraps ${styles.foot}`}>
          <button type="submit" className={`button ${styles.send}`}>
            <span>{contactForm.button}</span>
            <span>{contactForm.sending}</span>
          </button>
          {/* What the toast says disappears with it; this stays. */}
          <small>
            {unsent && <b>{unsent.stamp} </b>}
            {unsent ? unsent.note : contactForm.promise}
          </small>
        </div>
      </form>
      {/* Outside the form: screen readers skip what's busy. They announce the outcome with the toast. */}
      <span aria-live="polite" className="visually-hidden" />
    </>
  );
}
