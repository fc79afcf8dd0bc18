import { eachField } from '../../contract/contact-message.ts';
import type { Sentences } from '../../contract/refusal-sentences.ts';
import { replyHours } from '../content/business.ts';
import { contactForm } from '../content/contact-form.ts';
import { problems } from '../content/problems.ts';
import { refusals } from '../content/refusals.ts';
import { site } from '../content/site.ts';

/** What the function says to visitors of this page, and within how many hours it promises an answer. */
export const sentences: Sentences = {
  ...refusals,
  replyHours,
  language: site.language,
  labels: eachField((field) => contactForm.fields[field].label),
  topics: contactForm.topics.label,
  spots: problems.items.map(({ title }) => title).join('\n'),
};
