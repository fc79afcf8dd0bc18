import { matching, named, type Of, plain, words, wordsAnd, wordsWith } from '../ui/shape.ts';

export const site: Of<typeof shape.site> = {
  language: 'en-CA',
  title: '{headline}',
  description:
    'An operations consultant finds where work piles up in your small business, redraws the workflow, and hands you a lean system that is 100% yours.',
};

export const llms: Of<typeof shape.llms> = {
  clients: 'Clients: {serves}',
  write: 'Write to {email}, or use the form at {form}; expect a reply {reply}.',
  founder: 'Founder: {name}',
  links: 'Links',
};

export const shape = {
  site: named('Search results and shared links', {
    language: matching(
      plain,
      /^[a-z]{2,3}(-[a-z]{4})?(-([a-z]{2}|\d{3}))?$/i,
      'must be a language such as en-CA or fr',
    )(
      'Language of the page',
      'For browsers and screen readers. Prices and numbers follow it: $1,499 in en-CA, 1 499 $ in fr-CA.',
    ),
    title: wordsAnd('headline')(
      'Title',
      'Before the name of your business in search results and the browser’s tab. {headline} is your page’s, without its period.',
    ),
    description: words(
      'Text below the title',
      'One or two sentences, about 150 characters, for search results and shared links.',
    ),
  }),
  llms: named(
    'For AI assistants',
    'What llms.txt says besides the page’s own words. Programs that answer people’s questions read it.',
    {
      clients: wordsWith('serves')('Where your clients are'),
      write: wordsAnd('email', 'form')('How to reach you', '{email} is your address, {form} the form’s.'),
      founder: wordsWith('name')('Who you are'),
      links: plain('Heading above the links'),
    },
  ),
};
