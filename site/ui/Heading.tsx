import { Fragment } from 'react';

/** A section's heading. It breaks between its phrases rather than within one, as long as they fit into a line. */
export function Heading({ id, children }: { id: string; children: string }) {
  const phrases = children.split(/(?<=[.,]) /);
  return (
    <h2 id={id}>
      {phrases.length === 1
        ? children
        : phrases.map((phrase, index) => (
            <Fragment key={phrase}>
              {index > 0 && ' '}
              <span>{phrase}</span>
            </Fragment>
          ))}
    </h2>
  );
}
