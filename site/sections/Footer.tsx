import { brand } from '../content/business.ts';
import { footer } from '../content/footer.ts';
import { legalHref } from '../LegalPage.tsx';
import { useAssets } from '../ui/assets.ts';
import styles from './Footer.module.css';

export function Footer() {
  const { contactEmail } = useAssets();
  return (
    <footer className={styles.footer}>
      <div className="sheet">
        <p className="brand">{brand.name}</p>
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
        <ul>
          {(['terms', 'privacy'] as const).map((name) => (
            <li key={name}>
              <a href={legalHref(name)}>{footer.legal[name].label}</a>
            </li>
          ))}
        </ul>
        <p>
          <span>
            © <time data-current-year="">{new Date().getFullYear()}</time>
            {` ${brand.name}`}
          </span>
        </p>
      </div>
    </footer>
  );
}
