/** What search engines and shared links show of the page. The brand name is in navigation.ts. */
export const site = {
  /** The language of the page, as browsers and screen readers want it. */
  language: 'en-CA',
  /** Shown in the browser's tab before the brand name. */
  title: 'Fix What’s Slowing Your Business Down',
  /** One or two sentences below the title in search results; 150 characters or so. */
  description:
    'An operations consultant finds where work piles up in your small business, redraws the workflow, and hands you a lean system that is 100% yours.',
};
