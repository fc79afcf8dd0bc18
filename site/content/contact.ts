/** The words around the contact form; those inside it are in contact-form.ts. */
export const contact = {
  heading: "Let's Map Your Blueprint",
  lead: 'Tell me what slows you down, the way you would tell a friend. Two sentences are enough. I reply {reply}.',
  emailLabel: 'Or write to',
  place: 'Based in {country} – serving globally.',
};
