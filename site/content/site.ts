import { FIGURES, group, matching, type Of, plainWords, words, wordsWith } from '../ui/shape.ts';

/** What search engines and shared links show. The brand name is in business.ts. */
export const site: Of<typeof shape.site> = {
  /**
   * The page's language, for browsers and screen readers. Prices, numbers and lists are written as people write them
   * there: $1,499 in en-CA, 1 499 $ in fr-CA.
   */
  language: 'en-CA',
  /** Shown in the browser tab before the brand name. */
  title: 'Fix What’s Slowing Your Business Down',
  /** One or two sentences below the title in search results, about 150 characters. */
  description:
    'An operations consultant finds where work piles up in your small business, redraws the workflow, and hands you a lean system that is 100% yours.',
};

/**
 * What llms.txt says beside the words of the page. Programs that answer people's questions read it. {email} is your
 * address, {form} the form's.
 */
export const llms: Of<typeof shape.llms> = {
  clients: 'Clients: {serves}',
  write: 'Write to {email}, or use the form at {form}; a reply comes {reply}.',
  founder: 'Founder: {name}',
  links: 'Links',
};

/* For the build: what it asks of the words above. Nothing below shows on the page. */
export const shape = {
  site: group({
    language: matching(
      plainWords,
      /^[a-z]{2,3}(-[A-Z][a-z]{3})?(-([A-Z]{2}|\d{3}))?$/,
      'must be a language such as en-CA or fr',
    ),
    title: words,
    description: words,
  }),
  llms: group({
    clients: wordsWith('serves'),
    write: wordsWith(...FIGURES, 'email', 'form'),
    founder: wordsWith('name'),
    links: plainWords,
  }),
};
