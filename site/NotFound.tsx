import { brand } from './content/business.ts';
import { notFound } from './content/error-pages.ts';
import styles from './ErrorPage.module.css';
import { Drawing } from './ui/Drawing.tsx';

export function NotFound() {
  return (
    <main className={`sheet ${styles.page}`}>
      <div>
        <p className="brand">{brand.name}</p>
        <h1>{notFound.heading}</h1>
        <p className="lead">{notFound.text}</p>
        <a className="button" href="/">
          {notFound.back}
        </a>
      </div>
      <Drawing name="lost-plan" alt={notFound.drawing} />
    </main>
  );
}
