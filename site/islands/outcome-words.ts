import { replyHours, replyTime } from '../content/business.ts';
import { outcomes } from '../content/contact-form.ts';
import type { Outcome } from './outcome.ts';

/** Fills in `{reply}` with the reply time. */
export function withReplyTime(sentence: string): string {
  return sentence.replace('{reply}', replyTime.replace('{hours}', String(replyHours)));
}

/** The catalogue's words for a call that throws. Its sentence already ends the message's with a period. */
export function failed(message: string): Outcome {
  const reason = message.replace(/\.$/, '');
  const { title, description } = outcomes.failed;
  return {
    sent: false,
    toast: { title, description: description.replace('{message}', () => reason), variant: 'destructive' },
  };
}
