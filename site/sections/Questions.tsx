import type { FAQPage } from 'schema-dts';
import { questions as content } from '../content/questions.ts';
import { Heading } from '../ui/Heading.tsx';
import { filled } from '../ui/words.ts';
import styles from './Questions.module.css';

const questions = filled(content);

/** Two columns of their own, so that an open question moves none in the other. The heading takes the place of three. */
const half = Math.max(1, Math.floor((questions.items.length - 3) / 2));

export function Questions() {
  return (
    <section className={`sheet ${styles.questions}`} aria-labelledby="questions-heading">
      <Heading id="questions-heading">{questions.heading}</Heading>
      {[questions.items.slice(0, half), questions.items.slice(half)].map((column) => (
        <div key={column[0]?.question}>
          {column.map(({ question, answer }) => (
            <details key={question}>
              <summary>
                <span>{question}</span>
              </summary>
              <p>{answer}</p>
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

Questions.structured = (): { beside: FAQPage } => ({
  beside: {
    '@type': 'FAQPage',
    mainEntity: questions.items.map(({ question, answer }) => ({
      '@type': 'Question',
      name: question,
      acceptedAnswer: { '@type': 'Answer', text: answer },
    })),
  },
});
