import { findPlaceholders } from '../../publish/placeholders.ts';
import { about, type Check } from './check.ts';

const subject = about('mine', 'placeholders', 'Still to do');

/** Example text and pictures that the owner hasn't replaced yet. */
export const placeholders: Check = {
  about: subject,
  needs: ['SITE_URL', 'CONTACT_EMAIL'],
  run: async ({ settings }) => {
    const found = await findPlaceholders(settings);
    return found.length === 0
      ? [subject.ok('Nothing: no examples are left on the page.')]
      : found.map(({ what, todo }) => subject.look(what, todo));
  },
};
