import { promises } from '../content/promises.ts';
import { Drawing, Heading } from '../ui/elements.tsx';
import styles from './Promises.module.css';

const { sentence, name, firm } = promises.client;

export function Promises() {
  return (
    <section className={`sheet ${styles.promises}`} aria-labelledby="promises-heading">
      <Heading id="promises-heading">{promises.heading}</Heading>
      <ul>
        {promises.items.map(({ title, text }) => (
          <li key={title}>
            <h3>{title}</h3>
            <p>{text}</p>
          </li>
        ))}
      </ul>
      <figure>
        <Drawing name="kept" />
        <figcaption>{promises.example.caption}</figcaption>
      </figure>
      {sentence && (
        <blockquote>
          <p>{sentence}</p>
          <footer>{[name, firm].filter(Boolean).join(', ')}</footer>
        </blockquote>
      )}
    </section>
  );
}
