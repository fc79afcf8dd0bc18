import type { PageData } from '../machine-readable/page-data.ts';

/** The id of the element that each page with scripts has. */
const ELEMENT = 'page-data';

export const pageData: PageData = JSON.parse(document.getElementById(ELEMENT)?.textContent ?? '');
