import { replyTime } from '../content/business.ts';

/** A sentence with the reply time in the place of `{reply}`. */
export function withReplyTime(sentence: string): string {
  return sentence.replace('{reply}', replyTime);
}
