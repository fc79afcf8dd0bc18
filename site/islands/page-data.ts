import type { PageData } from '../machine-readable/page-data.ts';

export const pageData: PageData = JSON.parse(document.getElementById('page-data')?.textContent ?? '');
