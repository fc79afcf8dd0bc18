import { hero } from '../content/hero.ts';
import { HeroPlan } from '../drawings/HeroPlan.tsx';
import { Part, TitleBlock } from '../ui/elements.tsx';
import { CallToAction } from './Header.tsx';
import styles from './Hero.first.module.css';
import later from './Hero.module.css';

export function Hero() {
  return (
    <Part id="hero-banner" name="hero" className={styles.hero}>
      <div className={styles.words}>
        <p className="label">{hero.kicker}</p>
        <h1 id="hero-heading">{hero.headline}</h1>
        <p className="lead">{hero.lead}</p>
        <div className={styles.actions}>
          <CallToAction />
          <a className="button" href={`#${hero.seeHow.id}`}>
            {hero.seeHow.label}
          </a>
        </div>
      </div>
      <ul className={styles.facts}>
        {hero.facts.map((fact) => (
          <li key={fact}>{fact}</li>
        ))}
      </ul>
      <div className={styles.drawing}>
        <HeroPlan label={hero.drawing} />
        <TitleBlock
          rows={[[hero.states.label, <States key="states" />], ...hero.titleBlock]}
          className={styles.corner}
        />
        {/* For paper */}
        <p className={later.before} hidden>
          <svg viewBox="0 0 864 620" className="hp-before" aria-hidden="true">
            <use href="#hp" />
          </svg>
          {hero.states.before}
        </p>
      </div>
    </Part>
  );
}

/** Which of its two states the drawing shows. The story ends on the second. */
function States() {
  const { label, before, after } = hero.states;
  return (
    <span role="radiogroup" className={later.states} aria-label={label}>
      <label>
        <input type="radio" name="state" value="before" />
        {before}
      </label>
      <label>
        <input type="radio" name="state" value="after" defaultChecked />
        {after}
      </label>
    </span>
  );
}
