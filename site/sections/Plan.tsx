import { contactForm } from '../content/contact-form.ts';
import { packages } from '../content/packages.ts';
import { problems } from '../content/problems.ts';
import { Drawing } from '../ui/elements.tsx';
import { filled } from '../ui/words.ts';
import plan from './Plan.module.css';
import shop from './YourShop.module.css';

/** The visitor's shop. What they ticked lights up on it; the words beside it say so, too. */
export function Plan() {
  return (
    <div className={plan.plan} aria-hidden="true">
      <Drawing name="key-plan" />
      <Spots />
    </div>
  );
}

/** A number for each problem. Those that are marked show it; see Plan.module.css. */
export function Spots() {
  return (
    <p className={plan.spots} data-marks="">
      {problems.items.map(({ drawing }, at) => (
        <b key={drawing} className={plan.spot}>
          {at + 1}
        </b>
      ))}
    </p>
  );
}

const { label, mark, change, remove } = contactForm.topics;
const titles = [...problems.items, ...filled(packages).items].map(({ title }) => title);

/** The head of the request sheet: the plan, and beside it what the visitor marked or asked about. */
export function YourShop() {
  return (
    <div id="contact-topics" className={shop.shop}>
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
              <button type="button" aria-label={filled(remove, { topic: title })} />
            </li>
          ))}
          <li>{problems.share.theirs}</li>
        </ol>
        <a href="#problems-heading">
          <span className="unticked">{mark}</span>
          <span className="ticked">{change}</span>
        </a>
      </div>
    </div>
  );
}
