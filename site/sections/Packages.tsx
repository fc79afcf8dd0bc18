import { navigation } from '../content/navigation.ts';
import { packages as content } from '../content/packages.ts';
import type { BusinessFacts } from '../ui/section.ts';
import { bullets, dollars, facts, fill, filled } from '../ui/words.ts';
import styles from './Packages.module.css';

const packages = filled(content, facts);

const longest = Math.max(...packages.items.map(({ timeline }) => timeline));

export function Packages() {
  return (
    <section
      id="blueprint-journey"
      className={`sheet ${styles.packages}`}
      aria-labelledby="packages-heading"
      tabIndex={-1}
    >
      <header>
        <h2 id="packages-heading">{packages.heading}</h2>
        <p className="lead">{packages.lead}</p>
      </header>
      {packages.items.map((item) => (
        <Sheet key={item.stage} {...item} />
      ))}
    </section>
  );
}

Packages.markdown = [
  `## ${packages.heading}`,
  packages.lead,
  ...packages.items.flatMap(({ title, purpose, price, timeline, effort, features, outcome }) => [
    `### ${title}: ${dollars(price)} ${facts.currency}`,
    purpose,
    bullets([
      `${fill(packages.timeline, { weeks: timeline })}, ${fill(packages.effort, { hours: effort })}`,
      `${packages.includedLabel}: ${features.join(', ')}`,
      `${packages.outcomeLabel}: ${outcome}`,
    ]),
  ]),
];

Packages.structured = (): { business: BusinessFacts } => ({
  business: {
    hasOfferCatalog: {
      '@type': 'OfferCatalog',
      name: packages.heading,
      itemListElement: packages.items.map(({ title, purpose, price }) => ({
        '@type': 'Offer',
        price,
        priceCurrency: facts.currency,
        itemOffered: { '@type': 'Service', name: title, description: purpose },
      })),
    },
  },
});

function Sheet(item: (typeof packages.items)[number]) {
  const heading = `package-${item.stage}`;
  return (
    <article
      className={`${styles.sheet} ${item.popular ? styles.popular : ''}`}
      aria-labelledby={heading}
      data-delay={item.delay}
    >
      <p className={styles.tag}>
        {fill(packages.sheet, { stage: item.stage, of: packages.items.length })}
        {item.popular && <strong>{packages.popularLabel}</strong>}
      </p>
      <div className={styles.offer}>
        <h3 id={heading}>{item.title}</h3>
        <p className={styles.price}>
          {`${dollars(item.price)} `}
          <small>{facts.currency}</small>
        </p>
        <p className={styles.caption}>{item.priceCaption}</p>
      </div>
      <div className={styles.included}>
        <p className={styles.purpose}>{item.purpose}</p>
        <ul aria-label={packages.includedLabel}>
          {item.features.map((feature) => (
            <li key={feature}>
              <Check />
              {feature}
            </li>
          ))}
        </ul>
      </div>
      <div className={styles.result}>
        <p className="label">{packages.outcomeLabel}</p>
        <p className={styles.outcome}>{item.outcome}</p>
        <a href={`#${navigation.callToAction.id}`} aria-label={`${packages.ask}: ${item.title}`}>
          {packages.ask}
        </a>
      </div>
      <p className={styles.time}>
        <TimeScale weeks={item.timeline} />
        <b>{fill(packages.timeline, { weeks: item.timeline })}</b>
        <span>
          {`${packages.effortLabel} `}
          <b>{fill(packages.effort, { hours: item.effort })}</b>
        </span>
      </p>
    </article>
  );
}

/** One box per week, to the scale of the longest package. */
function TimeScale({ weeks }: { weeks: number }) {
  return (
    <svg
      className={styles.scale}
      viewBox={`0 0 ${longest * 10 - 1} 8`}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      <path className={styles.spent} d={`M0 4h${weeks * 10 - 1}`} />
      <path className={styles.spare} d={`M${weeks * 10} 4H${longest * 10 - 1}`} />
    </svg>
  );
}

/** Lucide's check mark (ISC licence). */
function Check() {
  return (
    <svg
      width="18"
      height="18"
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth="2"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
    >
      <path d="M20 6 9 17l-5-5" />
    </svg>
  );
}
