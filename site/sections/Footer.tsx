import { footer } from '../content/footer.ts';
import { brand } from '../content/navigation.ts';
import { useAssets } from '../ui/assets.ts';
import styles from './Footer.module.css';

export function Footer() {
  const { contactEmail } = useAssets();
  return (
    <footer className={styles.footer}>
      <div className="sheet">
        <p className={styles.brand}>{brand.name}</p>
        <nav aria-label={footer.linksLabel}>
          <ul>
            {footer.links.map(({ label, id }) => (
              <li key={id}>
                <a href={`#${id}`}>{label}</a>
              </li>
            ))}
          </ul>
        </nav>
        <p>
          <a href={`mailto:${contactEmail}`}>{contactEmail}</a>
        </p>
        <p>{footer.place}</p>
        <ul className={styles.legal}>
          {footer.legal.map(({ label, href }) => (
            <li key={label}>
              <a href={href}>{label}</a>
            </li>
          ))}
        </ul>
        <p className={styles.copyright}>
          © <time data-current-year="">{new Date().getFullYear()}</time>
          {` ${brand.name}`}
        </p>
      </div>
    </footer>
  );
}
