import { FIGURES, group, matching, type Of, plural, words, wordsWith } from '../ui/shape.ts';

/** The words around the contact form. Those inside it are in contact-form.ts. */
export const contact: Of<typeof shape.contact> = {
  /** The heading. */
  heading: "Let's Map Your Blueprint",
  /** The text below it. */
  lead: 'Tell me what slows you down, the way you’d tell a friend. Two sentences are enough.',
  /** Goes before your e-mail address, which is CONTACT_EMAIL in the settings. */
  emailLabel: 'Or write to',
  /** Where you're based. */
  place: 'Based in {country} – serving globally.',
  /**
   * Below the form: what you keep of a message, why, and how people can have it erased. The words in [brackets] become
   * a link to your e-mail address. Once the Privacy Policy in footer.ts has an address, a link to it is added.
   */
  privacy:
    'I keep your name, e-mail address and message to answer you, and for nothing else. [Write to me] and I erase them.',
  /** Added if RETENTION_DAYS is set, which erases old messages automatically. {days} is that number. */
  retention: {
    one: 'Otherwise they’re erased after {days} day.',
    other: 'Otherwise they’re erased after {days} days.',
  },
};

/* For the build: what it asks of the words above. Nothing below shows on the page. */
export const shape = {
  contact: group({
    heading: words,
    lead: words,
    emailLabel: words,
    place: words,
    privacy: matching(
      words,
      /^[^[\]]*\[[^[\]]+\][^[\]]*$/,
      'must have one part in [brackets], which becomes the link',
    ),
    retention: plural(matching(wordsWith(...FIGURES, 'days'), /\{days\}/, 'must hold {days}')),
  }),
};
