import { founder } from '../content/founder.ts';
import { llms } from '../content/site.ts';
import { useAssets } from '../ui/assets.ts';
import { Drawing, Heading, Part, TitleBlock, whole } from '../ui/elements.tsx';
import { filled } from '../ui/words.ts';
import styles from './Founder.module.css';

export function Founder() {
  const { founderPhoto } = useAssets();
  const name = founder.name || founder.unnamed;
  const rows = founder.titleBlock.filter((row) => founder.name || !row.join('').includes('{name}'));
  return (
    <Part id="about-founder" name="founder" className={`sheet ${styles.founder}`}>
      <figure>
        {founderPhoto ? (
          <img {...founderPhoto} alt={filled(founder.photo, { name })} loading="lazy" decoding="async" />
        ) : (
          <Drawing name="portrait" alt={founder.portrait} />
        )}
        {rows.length > 0 && <TitleBlock rows={filled(rows, { name })} />}
      </figure>
      <Heading id="founder-heading">{founder.heading}</Heading>
      <div className={styles.bio}>
        {founder.bio.map((paragraph) => (
          <p key={paragraph}>{whole(paragraph)}</p>
        ))}
      </div>
    </Part>
  );
}

Founder.markdown = [
  `## ${founder.heading}`,
  ...(founder.name ? [filled(llms.founder, { name: founder.name })] : []),
  ...founder.bio,
];
