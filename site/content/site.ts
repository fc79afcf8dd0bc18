import { group, matching, type Of, plainWords, words } from '../ui/shape.ts';

/** What search engines and shared links show. The brand name is in business.ts. */
export const site: Of<typeof shape.site> = {
  /** The page's language code, for browsers and screen readers. */
  language: 'en-CA',
  /** Shown in the browser tab before the brand name. */
  title: 'Fix What’s Slowing Your Business Down',
  /** One or two sentences below the title in search results, about 150 characters. */
  description:
    'An operations consultant finds where work piles up in your small business, redraws the workflow, and hands you a lean system that is 100% yours.',
};

/* For the build: what it asks of the words above. Nothing below shows on the page. */
export const shape = {
  site: group({
    language: matching(plainWords, /^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$/, 'must be a language such as en-CA'),
    title: words,
    description: words,
  }),
};
