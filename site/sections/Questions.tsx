import { questions } from '../content/questions.ts';
import { Drawing, Heading, whole } from '../ui/elements.tsx';
import styles from './Questions.module.css';

export function Questions() {
  if (questions.items.length === 0) return null;
  return (
    <section className={`sheet ${styles.questions}`} aria-labelledby="questions-heading">
      <Heading id="questions-heading">{questions.heading}</Heading>
      <Drawing name="talk" />
      <div>
        {questions.items.map(({ question, answer }) => (
          <details key={question}>
            <summary>{question}</summary>
            <p>{whole(answer)}</p>
          </details>
        ))}
      </div>
    </section>
  );
}

Questions.markdown = questions.items.flatMap(({ question, answer }, at) => [
  ...(at === 0 ? [`## ${questions.heading}`] : []),
  `### ${question}\n\n${answer}`,
]);
