import { contactForm } from '../content/contact-form.ts';
import styles from './Topics.module.css';

const { label, change } = contactForm.topics;

/** The sheet's subject: what the visitor ticked or asked about. Empty until site/islands/topics.ts lists it. */
export function Topics() {
  return (
    <div id="contact-topics" className={styles.topics} hidden>
      <b id="contact-topics-label">{label}</b>
      <a href="#problems-heading">{change}</a>
      <ul aria-labelledby="contact-topics-label" />
    </div>
  );
}
