import { Fragment } from 'react';
import { brand } from './content/business.ts';
import { handling, type privacy } from './content/legal-pages.ts';
import { type Assets, useAssets } from './ui/assets.ts';
import { filled, wordsFor } from './ui/words.ts';

/** With what the settings say of a visitor's message. */
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
