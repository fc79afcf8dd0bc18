import { questions } from '../content/questions.ts';
import { figures, fill } from '../ui/words.ts';
import styles from './Questions.module.css';

export function Questions() {
  return (
    <section className={`sheet ${styles.questions}`} aria-labelledby="questions-heading">
      <h2 id="questions-heading">{questions.heading}</h2>
      <div>
        {questions.items.map(({ question, answer }) => (
          <details key={question}>
            <summary>
              <span>{question}</span>
            </summary>
            <p>{fill(answer, figures)}</p>
          </details>
        ))}
      </div>
    </section>
  );
}
