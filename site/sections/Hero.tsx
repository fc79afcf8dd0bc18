import { hero as content } from '../content/hero.ts';
import { navigation } from '../content/navigation.ts';
import { HeroPlan } from '../drawings/HeroPlan.tsx';
import { TitleBlock } from '../ui/TitleBlock.tsx';
import { filled } from '../ui/words.ts';
import styles from './Hero.first.module.css';

const hero = filled(content);

export function Hero() {
  return (
    <section id="hero-banner" className={styles.hero} aria-labelledby="hero-heading" tabIndex={-1}>
      <div className={styles.words}>
        <p className="label">{hero.kicker}</p>
        <h1 id="hero-heading">{hero.headline}</h1>
        <p className="lead">{hero.lead}</p>
        <div className={styles.actions}>
          <a className="button button-signal" href={`#${navigation.callToAction.id}`}>
            {navigation.callToAction.label}
          </a>
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
      <div className={styles.plan}>
        <HeroPlan label={hero.drawing} />
        <button type="button" className="hp-again" hidden>
          {hero.again}
        </button>
      </div>
      <TitleBlock rows={hero.titleBlock} className={styles.block} />
    </section>
  );
}
