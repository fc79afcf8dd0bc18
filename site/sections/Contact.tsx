import { SENT_ANCHOR } from '../../contract/contact-message.ts';
import { contact as content } from '../content/contact.ts';
import { contactForm, outcomes } from '../content/contact-form.ts';
import { footer } from '../content/footer.ts';
import { useAssets } from '../ui/assets.ts';
import { Island } from '../ui/Island.tsx';
import { legalHref } from '../ui/legal.ts';
import { fill, filled, wordsFor } from '../ui/words.ts';
import styles from './Contact.module.css';
import { ContactForm } from './ContactForm.tsx';

const contact = filled(content);

/** A straight apostrophe is set on its own: in the wide cut it stands above the capitals, apart from its letters. */
const heading = contact.heading.split(/(')/).map((part) => (part === "'" ? <span key={part}>'</span> : part));

export function Contact() {
  const { contactEmail, retentionDays } = useAssets();
  return (
    <section
      id="lets-map-your-blueprint"
      className={styles.contact}
      aria-labelledby="contact-heading"
      tabIndex={-1}
    >
      <div className={`sheet ${styles.inner}`}>
        <div className={styles.words}>
          <h2 id="contact-heading">{heading}</h2>
          <p className="lead">{contact.lead}</p>
          <div className={styles.reply}>
            <p className="label">{contact.replyLabel}</p>
            <ol>
              {contact.reply.map((part) => (
                <li key={part}>{part}</li>
              ))}
            </ol>
          </div>
          <p>{contact.place}</p>
          <Fallback email={contactEmail} />
        </div>
        <div className={styles.request}>
          {/* Where the form leads without JavaScript. Shown only as the target, by browsers that know how. */}
          <p id={SENT_ANCHOR} className={styles.sent} tabIndex={-1} hidden>
            <b>{contactForm.status.received}</b>
            <strong>{outcomes.sent.title}</strong>
            {` ${filled(outcomes.sent.description)}`}
            <a href="#contact-form">{contact.another}</a>
          </p>
          <Island name="contact-form">
            <ContactForm />
          </Island>
          <Privacy email={contactEmail} retentionDays={retentionDays} />
        </div>
      </div>
    </section>
  );
}

/** How to write without the form. */
export function Fallback({ email }: { email: string }) {
  return (
    <p className={styles.email}>
      {`${contact.emailLabel} `}
      <a href={`mailto:${email}`}>{email}</a>
    </p>
  );
}

function Privacy({ email, retentionDays }: { email: string; retentionDays: number | undefined }) {
  const [before, write, after] = contact.privacy.split(/[[\]]/);
  const end = retentionDays
    ? ` ${fill(wordsFor(retentionDays, contact.retention), { days: retentionDays })}`
    : '';
  const { label } = filled(footer.legal.privacy);
  const href = legalHref('privacy');
  const hasPolicy = href !== '#';
  return (
    <p className={styles.privacy}>
      {before}
      <a href={`mailto:${email}`}>{write}</a>
      {`${after}${end}${hasPolicy ? ' ' : ''}`}
      {hasPolicy && <a href={href}>{label}</a>}
    </p>
  );
}
