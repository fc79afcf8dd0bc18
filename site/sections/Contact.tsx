import { FIELD_NAMES, SENT_ANCHOR } from '../../contract/contact-message.ts';
import { contact } from '../content/contact.ts';
import { contactForm, outcomes } from '../content/contact-form.ts';
import { footer } from '../content/footer.ts';
import { legalHref } from '../LegalPage.tsx';
import { useAssets } from '../ui/assets.ts';
import { Drawing, Part } from '../ui/elements.tsx';
import { filled, wordsFor } from '../ui/words.ts';
import styles from './Contact.module.css';
import { ContactForm } from './ContactForm.tsx';

/** A straight apostrophe is set on its own: in the wide cut it stands above the capitals, apart from its letters. */
const heading = contact.heading.split(/(')/).map((part) => (part === "'" ? <span key={part}>'</span> : part));

export function Contact() {
  const { phone, booking } = contact;
  return (
    <Part id="lets-map-your-blueprint" name="contact" className={styles.contact}>
      <div className={`sheet stays ${styles.columns}`}>
        <div className={styles.intro}>
          <h2 id="contact-heading">{heading}</h2>
          <p className="lead">{contact.lead}</p>
          {contact.reply.length > 0 && (
            <div className={styles.reply}>
              <p className="label">{contact.replyLabel}</p>
              <ol>
                {contact.reply.map((part) => (
                  <li key={part}>{part}</li>
                ))}
              </ol>
            </div>
          )}
          <p>{contact.place}</p>
          <Fallback />
          {phone.number && (
            <p className={styles.email}>
              {`${phone.label} `}
              {/* Behind a country's code, a 0 in brackets isn't dialled. */}
              <a href={`tel:${phone.number.replace(/(?<=\d.*)\(0\)|[^+\d]/g, '')}`}>{phone.number}</a>
            </p>
          )}
          {booking.address && (
            <p className={styles.email}>
              <a href={booking.address}>{booking.label}</a>
            </p>
          )}
        </div>
        <div className={styles.sheets}>
          <Receipt />
          <a href="#contact-name">{contact.another}</a>
          <div className={styles.request}>
            <div data-island="contact-form">
              <ContactForm />
            </div>
            <Privacy />
          </div>
        </div>
      </div>
    </Part>
  );
}

/** What was sent, once it was. Without JavaScript, the form leads here: it shows as the target, and knows no more. */
function Receipt() {
  const { fields, sheet, status } = contactForm;
  return (
    <div id={SENT_ANCHOR} className={styles.receipt} tabIndex={-1} hidden>
      <div className={`wraps ${styles.top}`}>
        <p className="label">{sheet}</p>
        <b>{status.received}</b>
      </div>
      <div data-kept="">
        <Drawing name="key-plan" />
      </div>
      <dl hidden>
        {FIELD_NAMES.map((name) => (
          <div key={name}>
            <dt>{fields[name].label}</dt>
            <dd />
          </div>
        ))}
      </dl>
      <p className={styles.sent}>
        <strong>{outcomes.sent.title}</strong>
        {` ${outcomes.sent.description}`}
      </p>
      <p className="wraps">
        <button type="button" className="button" hidden>
          {contactForm.save}
        </button>
      </p>
    </div>
  );
}

export function Fallback() {
  const { contactEmail } = useAssets();
  return (
    <p className={styles.email}>
      <span>{contact.emailLabel}</span> <span>{contact.onPaper}</span>{' '}
      <a href={`mailto:${contactEmail}`}>{contactEmail}</a>
    </p>
  );
}

function Privacy() {
  const { contactEmail, retentionDays } = useAssets();
  const [before, write, after] = contact.privacy.split(/[[\]]/);
  const end = retentionDays
    ? ` ${filled(wordsFor(retentionDays, contact.retention), { days: retentionDays })}`
    : '';
  const href = legalHref('privacy');
  const hasPolicy = href !== '#';
  return (
    <p className={styles.privacy}>
      {before}
      <a href={`mailto:${contactEmail}`}>{write}</a>
      {`${after}${end}${hasPolicy ? ' ' : ''}`}
      {hasPolicy && <a href={href}>{footer.legal.privacy.label}</a>}
    </p>
  );
}
