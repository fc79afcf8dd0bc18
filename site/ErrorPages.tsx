import { brand } from './content/business.ts';
import { contactForm } from './content/contact-form.ts';
import { notFound, notSent } from './content/error-pages.ts';
import styles from './ErrorPage.module.css';
import contact from './sections/Contact.module.css';
import { Fallback } from './sections/Contact.tsx';
import { ContactForm } from './sections/ContactForm.tsx';
import { Drawing } from './ui/elements.tsx';

export function NotFound() {
  return (
    <main className={`sheet ${styles.page}`}>
      <div>
        <p className="brand">{brand.name}</p>
        <h1>{notFound.heading}</h1>
        <p className="lead">{notFound.text}</p>
        <a className="button" href="/">
          {notFound.back}
        </a>
      </div>
      <Drawing name="lost-plan" alt={notFound.drawing} />
    </main>
  );
}

const { status, marked } = contactForm;

/** For visitors without JavaScript whose message wasn't sent. The server fills in the %%places%%. */
export function NotSent() {
  return (
    <main className={`sheet ${styles.page}`}>
      <div>
        <p className="brand">{brand.name}</p>
        <h1 id="contact-heading">{notSent.heading}</h1>
        <p className="lead">{`%%kept%%${notSent.text}`}</p>
        {/* Empty if it's about a field, since it's beside that then. */}
        <p className={styles.reason} role="alert">
          %%error%%
        </p>
        <Fallback />
      </div>
      <div className={contact.request}>
        <ContactForm
          unsent={{
            topics: (
              // What was ticked on the page, each to be unticked here
              <fieldset className={styles.topics}>
                <legend>{contactForm.topics.label}</legend>
                <div>%%topics%%</div>
              </fieldset>
            ),
            stamp: (
              <>
                <span className={styles.whole}>{status.unsure}</span>
                <span className={styles.incomplete}>{status.incomplete}</span>
              </>
            ),
            note: <span className={styles.incomplete}>{marked}</span>,
          }}
        />
      </div>
    </main>
  );
}
