import { Fragment } from 'react';
import { brand } from './content/business.ts';
import { handling, type privacy } from './content/legal-pages.ts';
import { type Assets, useAssets } from './ui/assets.ts';
import { filled, wordsFor } from './ui/words.ts';

/** What the settings say of a visitor's message. */
function placesOf({ contactEmail, retentionDays: days, handlers }: Assets) {
  const { mailHost, storeHost } = handlers;
  return {
    business: brand.name,
    email: contactEmail,
    kept: days ? filled(wordsFor(days, handling.kept), { days }) : handling.keptUntilAsked,
    stored: storeHost ? filled(handling.storedAt, { host: storeHost }) : handling.storedHere,
    mail: mailHost ? filled(handling.mailAt, { host: mailHost }) : handling.mailUnnamed,
  };
}

/** For the head of the page, which is outside its component. */
export function describeLegal({ heading, description }: typeof privacy, assets: Assets) {
  return filled({ title: heading, description }, placesOf(assets));
}

export function LegalPage({ page }: { page: typeof privacy }) {
  const assets = useAssets();
  const { contactEmail } = assets;
  const { heading, updated, sections } = filled(page, placesOf(assets));
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
