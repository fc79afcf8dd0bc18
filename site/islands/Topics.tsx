import type { MouseEvent } from 'react';
import { contactForm } from '../content/contact-form.ts';
import styles from './Topics.module.css';

const { remove, change } = contactForm.topics;

type TopicsProps = {
  topics: readonly string[];
  disabled: boolean;
  onRemove: (topic: string) => void;
};

/** What the visitor ticked or asked about: the line that goes above the message. */
export function Topics({ topics, disabled, onRemove }: TopicsProps) {
  function removeOne({ currentTarget }: MouseEvent<HTMLButtonElement>) {
    const item = currentTarget.parentElement;
    const next = (item?.nextElementSibling ?? item?.previousElementSibling)?.querySelector<HTMLElement>(
      'button, a',
    );
    onRemove(currentTarget.value);
    // This button is gone, and the focus would be too.
    (topics.length > 1 ? next : currentTarget.closest('form')?.querySelector('textarea'))?.focus();
  }

  return (
    <ul className={styles.topics} aria-labelledby="contact-topics">
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
      <li>
        <a href="#problems-heading">{change}</a>
      </li>
    </ul>
  );
}
