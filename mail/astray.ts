import type { Astray } from '../messages/mailbox.ts';

/** `2 mails went to your Junk folder`, for a list in a sentence. What isn't there isn't named. */
export function astrayWords({ inJunk, nowhere }: Astray): string[] {
  const mails = (count: number) => (count === 1 ? '1 mail' : `${count.toLocaleString('en')} mails`);
  return [
    ...(inJunk > 0 ? [`${mails(inJunk)} went to your Junk folder`] : []),
    ...(nowhere > 0 ? [`${mails(nowhere)} didn’t arrive in your mailbox within five minutes`] : []),
  ];
}
