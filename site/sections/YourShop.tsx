import { contactForm } from '../content/contact-form.ts';
import { packages } from '../content/packages.ts';
import { problems } from '../content/problems.ts';
import { filled } from '../ui/words.ts';
import plan from './Plan.module.css';
import { Plan } from './Plan.tsx';
import styles from './YourShop.module.css';

const { label, change, remove } = contactForm.topics;
const titles = [...problems.items, ...filled(packages).items].map(({ title }) => title);

/** The head of the request sheet: the plan, and beside it what the visitor marked or asked about. */
export function YourShop() {
  return (
    <div id="contact-topics" className={styles.shop}>
      <Plan />
      <div>
        <ol aria-label={label} data-marks="">
          {titles.map((title, at) => (
            // Packages have no number.
            <li key={title} data-topic={title} value={at < problems.items.length ? at + 1 : undefined}>
              {at < problems.items.length && (
                <b className={plan.spot} aria-hidden="true">
                  {at + 1}
                </b>
              )}
              <span>{title}</span>
              <button type="button" aria-label={remove.replace('{topic}', title)} />
            </li>
          ))}
        </ol>
        <a href="#problems-heading">{change}</a>
      </div>
    </div>
  );
}
