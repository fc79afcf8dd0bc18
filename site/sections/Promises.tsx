import { promises as content } from '../content/promises.ts';
import { Phrases } from '../ui/Phrases.tsx';
import { filled } from '../ui/words.ts';
import styles from './Promises.module.css';

const promises = filled(content);

export function Promises() {
  return (
    <section className={`sheet ${styles.promises}`} aria-labelledby="promises-heading">
      <h2 id="promises-heading">
        <Phrases>{promises.heading}</Phrases>
      </h2>
      <ul>
        {promises.items.map(({ title, text }) => (
          <li key={title}>
            <h3>{title}</h3>
            <p>{text}</p>
          </li>
        ))}
      </ul>
    </section>
  );
}
