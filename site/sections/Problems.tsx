import { FORM_ID } from '../../contract/contact-message.ts';
import { TOPICS_FIELD } from '../../contract/topics.ts';
import { navigation } from '../content/navigation.ts';
import { problems as content } from '../content/problems.ts';
import { Drawing } from '../ui/Drawing.tsx';
import { Heading, whole } from '../ui/Heading.tsx';
import { filled } from '../ui/words.ts';
import styles from './Problems.module.css';

const problems = filled(content);

export function Problems() {
  return (
    <section className={`sheet ${styles.problems}`} aria-labelledby="problems-heading">
      <header>
        <Heading id="problems-heading">{problems.heading}</Heading>
        <p className="lead">{problems.lead}</p>
      </header>
      <Drawing name="key-plan" className={styles.plan} />
      <ol className={styles.details}>
        {problems.items.map(({ drawing, title, text }) => (
          <li key={drawing} className="drawn">
            <Drawing name={`detail-${drawing}`} className={styles.bubble} />
            <h3>
              <label>
                <input type="checkbox" name={TOPICS_FIELD} form={FORM_ID} value={title} />
                {whole(title)}
              </label>
            </h3>
            <p>{text}</p>
          </li>
        ))}
      </ol>
      <a className={`button button-signal ${styles.next}`} href={`#${navigation.callToAction.id}`}>
        {problems.next}
      </a>
    </section>
  );
}
