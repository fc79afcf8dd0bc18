import { Fragment } from 'react';
import { brand } from './content/business.ts';
import { footer } from './content/footer.ts';
import { handling, privacy, terms } from './content/legal-pages.ts';
import { type Assets, useAssets } from './ui/assets.ts';
import { filled, wordsFor } from './ui/words.ts';

const pages = { terms, privacy };

/** The legal pages that are part of this site, each with its path. */
export const legalPages = Object.entries(pages).filter(([, { on }]) => on);

/** Where a link to one leads: to the owner's own address, the page here, or nowhere. */
export function legalHref(name: keyof typeof pages): string {
  const { href } = footer.legal[name];
  return href === '#' && pages[name].on ? `/${name}` : href;
}

/** With what the settings say about a visitor's message. */
export function legalWords(page: typeof privacy, { contactEmail, retentionDays: days, handlers }: Assets) {
  const { mailHost, storeHost } = handlers;
  return filled(page, {
    business: brand.name,
    email: contactEmail,
    kept: days ? filled(wordsFor(days, handling.kept), { days }) : handling.keptUntilAsked,
    stored: storeHost ? filled(handling.storedAt, { host: storeHost }) : handling.storedHere,
    mail: mailHost ? filled(handling.mailAt, { host: mailHost }) : handling.mailUnnamed,
  });
}

export function LegalPage({ heading, updated, sections }: typeof privacy) {
  const { contactEmail } = useAssets();
  return (
    <>
      <header className="legal">
        <a className="brand" href="/">
          <svg width="32" height="32" aria-hidden="true">
            <use href="#mark" />
          </svg>
          {brand.name}
        </a>
      </header>
      <main className="legal">
        <hgroup>
          <h1>{heading}</h1>
          <p className="label">{updated}</p>
        </hgroup>
        {sections.map((section) => (
          <section key={section.heading}>
            <h2>{section.heading}</h2>
            {section.paragraphs.map((paragraph) => (
              <p key={paragraph}>
                {paragraph.split(contactEmail).map((text, at) => (
                  <Fragment key={text}>
                    {at > 0 && <a href={`mailto:${contactEmail}`}>{contactEmail}</a>}
                    {text}
                  </Fragment>
                ))}
              </p>
            ))}
          </section>
        ))}
      </main>
    </>
  );
}
