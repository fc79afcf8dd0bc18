import type { Field } from './contact-message.ts';

export type FieldFault = 'missing' | 'tooLong' | 'invalid';

/** Beside the field that's wrong. {max} is how many characters it can have. */
const fields: Record<Field, { tooLong: string } & Partial<Record<FieldFault, string>>> = {
  name: {
    missing: 'Please enter your name.',
    tooLong: 'Your name can have at most {max} characters.',
  },
  email: {
    missing: 'Please enter your email address.',
    tooLong: 'Your email address can have at most {max} characters.',
    invalid: 'Please enter an email address like name@example.com.',
  },
  message: {
    missing: 'Please enter a message.',
    tooLong: 'Your message can have at most {max} characters.',
  },
};

/** What visitors read when their message can't be taken. Here, since the server says it too; site/content has its shape. */
export const refusals = {
  fields,
  /** For all other reasons. Most visitors only ever meet the last four. */
  key: 'Your message wasn’t sent, because this page couldn’t identify itself. Please reload it and try again.',
  origin: 'Your message wasn’t sent, because this form doesn’t take messages from that website.',
  method: 'Messages are sent here with POST.',
  unknownFunction: 'Your message wasn’t sent, because there’s no contact form at this address.',
  type: 'Your message wasn’t sent, because it arrived in a format that can’t be read here.',
  tooLarge: 'Your message is too long to be sent. Please shorten it.',
  badJson: 'Your message arrived incomplete and wasn’t saved. Please send it again.',
  tooMany: 'Too many messages came from your connection. Please send yours again in {minutes} min.',
  notStored: 'Your message couldn’t be saved. Please try again in a minute.',
  unsure: 'Your message may not have been saved. Please send it again in a minute.',
  unforeseen: 'Something went wrong on our side, and your message wasn’t saved. Please try again.',
  /** Without JavaScript, after the reason, if nothing that was typed can be shown. */
  goBack: 'Your browser’s back button brings back what you wrote.',
  /** The plain page on Supabase that gives visitors without JavaScript their message back. */
  page: { heading: 'Your message isn’t confirmed as sent', again: 'Send again', back: 'Back to the page' },
};

/** How many hours the owner has to answer, unless a page's words say otherwise. Code that counts by it is passed it. */
export const USUAL_REPLY_HOURS = 24;

/** Everything that the function says to visitors, and what the page promises them. */
export type Sentences = typeof refusals & {
  replyHours: number;
  /** The page's language, such as `en-CA`. */
  language: string;
  labels: Record<Field, string>;
  /** The label of the line of topics (contract/topics.ts). */
  topics: string;
  /** What the numbers on the plan stand for, one per line. */
  spots: string;
};

/** Where a build leaves its `Sentences` for the server, in `dist/`. Files that start with _ aren't served. */
export const SENTENCES_FILE = '_sentences.json';
