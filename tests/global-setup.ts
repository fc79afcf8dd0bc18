import { buildTestSite } from './test-site.ts';

/** So that Playwright can be run by itself; `npm test` has built the site already. */
export default buildTestSite;
