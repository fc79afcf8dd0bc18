import { navigation } from '../content/navigation.ts';
import { packages as content } from '../content/packages.ts';
import { packagePlan } from '../drawings/PackagePlan.tsx';
import { Drawing, Heading, Part, whole } from '../ui/elements.tsx';
import { bullets, currencyCode, facts, filled, list, price, wordsFor } from '../ui/words.ts';
import styles from './Packages.module.css';

const packages = filled(content, facts);
const sheets = packages.items.map((item, at) => ({ ...item, stage: at + 1 }));

/** The scales' ends, which all packages share. */
const weeks = Math.max(...packages.items.map(({ timeline }) => timeline));
const hours = Math.max(...packages.items.map(({ effort }) => effort));

const inWeeks = (timeline: number) => filled(wordsFor(timeline, packages.timeline), { weeks: timeline });
const inHours = (effort: number) => filled(wordsFor(effort, packages.effort), { hours: effort });

export function Packages() {
  return (
    <Part id="blueprint-journey" name="packages" className={`sheet ${styles.packages}`}>
      <header>
        <Heading id="packages-heading">{packages.heading}</Heading>
        <p className="lead">
          {packages.lead}
          {packages.effortMeaning && ` ${packages.effortMeaning}`}
        </p>
      </header>
      {sheets.map((item) => (
        <Sheet key={item.stage} {...item} />
      ))}
    </Part>
  );
}

Packages.markdown = [
  `## ${packages.heading}`,
  `${packages.lead} ${packages.effortMeaning}`.trim(),
  ...packages.items.flatMap(({ purpose, features, outcome, ...item }) => [
    `### ${item.title}: ${price(item.price)} ${currencyCode}`.trim(),
    purpose,
    bullets([
      list([inWeeks(item.timeline), inHours(item.effort)]),
      `${packages.includedLabel}: ${list(features)}`,
      `${packages.outcomeLabel}: ${outcome}`,
    ]),
  ]),
];

function Sheet({ stage, ...item }: (typeof sheets)[number]) {
  const heading = `package-${stage}`;
  return (
    <article
      className={item.popular ? `${styles.package} ${styles.popular}` : styles.package}
      aria-labelledby={heading}
      data-delay={(stage - 1) * 100}
      data-topic={item.title}
    >
      <div className={styles.front}>
        <p className={styles.tag}>
          {filled(packages.sheet, { stage, of: packages.items.length })}
          {item.popular && <strong>{packages.popularLabel}</strong>}
        </p>
        <div className={styles.offer}>
          <h3 id={heading}>{item.title}</h3>
          <p>
            {`${price(item.price)} `}
            {currencyCode && <small>{currencyCode}</small>}
          </p>
          <p>{item.priceCaption}</p>
        </div>
        <Drawing name={packagePlan(stage, packages.items.length)} />
        <div className={styles.times}>
          <p>
            {`${packages.timelineLabel} `}
            <b>{inWeeks(item.timeline)}</b>
            <Scale unit="h8v8h-8zm10 0" spent={item.timeline} of={weeks} ends={2} />
          </p>
          <p>
            {`${packages.effortLabel} `}
            <b>{inHours(item.effort)}</b>
            <Scale unit="v8h10v-8" spent={item.effort} of={hours} />
          </p>
        </div>
      </div>
      <div className={styles.back}>
        <div className={styles.included}>
          <p>{item.purpose}</p>
          <ul aria-label={packages.includedLabel}>
            {item.features.map((feature) => (
              <li key={feature}>{whole(feature)}</li>
            ))}
          </ul>
        </div>
        <div className={styles.result}>
          <p>
            <span className="label">{packages.outcomeLabel}</span>
            {item.outcome}
          </p>
          <a href={`#${navigation.callToAction.id}`} aria-label={`${packages.ask}: ${item.title}`}>
            {packages.ask}
          </a>
        </div>
      </div>
    </article>
  );
}

type ScaleProps = { unit: string; spent: number; of: number; ends?: number };

/** A package's share of the longest one. A unit is an outline, 8 high and 10 wide, of which the last `ends` are free. */
function Scale({ unit, spent, of, ends = 0 }: ScaleProps) {
  const width = of * 10 - ends;
  // The lines of more units would fill it, and all packages would seem equally long.
  const isFrame = of > 50;
  // Lines that units share would close the gaps between those that are filled.
  const first = ends > 0 || isFrame ? 0 : Math.min(spent, of);
  const units = isFrame ? `v8h${width}v-8z` : unit.repeat(of - first);
  // Each in the middle between two lines, where units share them
  const before = 1 - ends / 2;
  return (
    <svg viewBox={`0 0 ${width} 8`} preserveAspectRatio="none" aria-hidden="true">
      <path d={`M${first * 10} 0${units}`} />
      <path d={`M${before} 4h${spent * 10 - before}`} />
    </svg>
  );
}
