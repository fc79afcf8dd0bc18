import { FORM_ID } from '../../contract/contact-message.ts';
import { TOPICS_FIELD } from '../../contract/topics.ts';
import { navigation } from '../content/navigation.ts';
import { problems } from '../content/problems.ts';
import { Drawing, Heading, whole } from '../ui/elements.tsx';
import plan from './Plan.module.css';
import { Plan, Spots } from './Plan.tsx';
import styles from './Problems.module.css';

const { share } = problems;

const LEADERS = ['leader-1', 'leader-2', 'leader-3', 'leader-4', 'leader-5'] as const;

export function Problems() {
  return (
    <section className={`sheet ${styles.problems}`} aria-labelledby="problems-heading">
      <header>
        <Heading id="problems-heading">{problems.heading}</Heading>
        <p className="lead">{problems.lead}</p>
        <p id="shared" className={`wraps ${styles.shared}`} hidden>
          <span>{share.theirs}</span>
          <button type="button">{share.dismiss}</button>
        </p>
      </header>
      <div className={styles.map}>
        <Drawing name="leaders" />
        <div className={styles.lit} data-marks="">
          {LEADERS.map((name) => (
            <Drawing key={name} name={name} />
          ))}
        </div>
        <Plan />
      </div>
      <div className={styles.strip} aria-hidden="true">
        <Spots />
      </div>
      <ol className={styles.details} data-marks="">
        {problems.items.map(({ drawing, title, text }, at) => (
          <li key={drawing}>
            <Drawing name={`detail-${drawing}`} />
            <b className={plan.spot} aria-hidden="true">
              {at + 1}
            </b>
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
      {/* Shown once one is ticked; the second needs a script, and says what it did. */}
      <p className={`wraps ${styles.next}`}>
        <a className="button button-signal count" href={`#${navigation.callToAction.id}`}>
          {problems.next}
        </a>
        <button type="button" className="button" hidden>
          {share.button}
        </button>
        <output />
      </p>
      <span aria-live="polite" className="visually-hidden" />
    </section>
  );
}
