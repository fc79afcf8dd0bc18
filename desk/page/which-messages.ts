import { STATE_NAMES } from '../../server/messages/message.ts';

/** Which messages the inbox shows. */
export const VIEWS = ['unanswered', 'all', ...STATE_NAMES] as const;
export type View = (typeof VIEWS)[number];
