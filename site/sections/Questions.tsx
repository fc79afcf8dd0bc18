import { questions as content } from '../content/questions.ts';
import { filled } from '../ui/words.ts';
import styles from './Questions.module.css';

const questions = filled(content);

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
            <p>{answer}</p>
          </details>
        ))}
      </div>
    </section>
  );
}
