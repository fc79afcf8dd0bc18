import { Fragment } from 'react';

/** A heading that breaks between its phrases rather than within one, as long as they fit into a line. */
export function Phrases({ children }: { children: string }) {
  const phrases = children.split(/(?<=[.,]) /);
  if (phrases.length === 1) return children;
  return phrases.map((phrase, index) => (
    <Fragment key={phrase}>
      {index > 0 && ' '}
      <span>{phrase}</span>
    </Fragment>
  ));
}
