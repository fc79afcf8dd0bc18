import { eachField } from '../contract/contact.ts';
import { brand } from './content/business.ts';
import { notSent as content } from './content/error-pages.ts';
import styles from './ErrorPage.module.css';
import { ContactForm } from './islands/ContactForm.tsx';
import { filled } from './ui/words.ts';

const notSent = filled(content);

/**
 * What a visitor without JavaScript sees when a message could not be sent. The server puts the
 * reason and everything that was typed into the places between %% signs.
 */
export function NotSent() {
  return (
    <main className={styles.page}>
      <p className={styles.brand}>{brand.name}</p>
      <h1>{notSent.heading}</h1>
      <p className={styles.reason} role="alert">
        %%error%%
      </p>
      <p className="lead">{notSent.text}</p>
      <ContactForm
        givenBack={eachField((field) => ({
          typed: `%%${field}%%`,
          error: `%%${field}-error%%`,
          invalid: `%%${field}-invalid%%` as 'true',
        }))}
      />
    </main>
  );
}
