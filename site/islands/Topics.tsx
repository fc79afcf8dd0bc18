import { type MouseEvent, useEffect, useState } from 'react';
import { contactForm } from '../content/contact-form.ts';
import styles from './Topics.module.css';
import { chooseTopic, readTopics } from './topics.ts';

const { label, remove, change } = contactForm.topics;

/** What the visitor ticked or asked about: the sheet's subject, and the message's first line. */
export function Topics({ disabled }: { disabled: boolean }) {
  const [topics, setTopics] = useState<readonly string[]>([]);
  useEffect(() => {
    const read = () => setTopics(readTopics());
    read();
    document.addEventListener('change', read);
    return () => document.removeEventListener('change', read);
  }, []);

  function removeOne({ currentTarget }: MouseEvent<HTMLButtonElement>) {
    const item = currentTarget.parentElement;
    const next = item?.nextElementSibling ?? item?.previousElementSibling;
    // This button goes, and the focus would too.
    (next?.querySelector('button') ?? currentTarget.closest('form')?.querySelector('textarea'))?.focus();
    chooseTopic(currentTarget.value, false);
  }

  return (
    topics.length > 0 && (
      <div className={styles.topics}>
        <b id="contact-topics">{label}</b>
        <a href="#problems-heading">{change}</a>
        <ul aria-labelledby="contact-topics">
          {topics.map((topic) => (
            <li key={topic}>
              {topic}
              <button
                type="button"
                value={topic}
                disabled={disabled}
                aria-label={remove.replace('{topic}', topic)}
                onClick={removeOne}
              />
            </li>
          ))}
        </ul>
      </div>
    )
  );
}
