import { buildTestSite } from '../support/site/test-site.ts';

/** Lets Playwright run on its own; `npm test` has already built the site. */
export default buildTestSite;
