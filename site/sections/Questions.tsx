import { questions as content } from '../content/questions.ts';
import { Heading, whole } from '../ui/Heading.tsx';
import { filled } from '../ui/words.ts';
import styles from './Questions.module.css';

const questions = filled(content);
const half = Math.ceil(questions.items.length / 2);
/** Where they stand side by side, opening one moves those of its own column alone. */
const columns = [questions.items.slice(0, half), questions.items.slice(half)];

export function Questions() {
  return (
    <section className={`sheet ${styles.questions}`} aria-labelledby="questions-heading">
      <Heading id="questions-heading">{questions.heading}</Heading>
      {columns.map((column, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: drawn once, never updated
        <div key={at}>
          {column.map(({ question, answer }) => (
            <details key={question}>
              <summary>{question}</summary>
              <p>{whole(answer)}</p>
            </details>
          ))}
        </div>
      ))}
    </section>
  );
}

Questions.markdown = [
  `## ${questions.heading}`,
  ...questions.items.map(({ question, answer }) => `### ${question}\n\n${answer}`),
];
