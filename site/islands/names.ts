/** The islands of the page, as the page names their places. */
export type IslandName = 'header' | 'contact-form' | 'scroll-to-top' | 'toasts';
