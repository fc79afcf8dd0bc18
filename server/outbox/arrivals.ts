import { HOUR } from '../../contract/time.ts';
import type { Settings } from '../../settings/settings.ts';
import { pageName } from '../mail/mails.ts';
import { describeTime } from '../messages/day.ts';
import type { Webhook } from './webhook.ts';

type Options = {
  webhook: Webhook;
  replyHours: () => number;
  settings: Pick<Settings, 'siteUrl' | 'timeZone' | 'mailPerHour'>;
};

/**
 * Tells the webhook that a message came, without a word of it: once, since the mail is what counts. In an hour, it tells of
 * no more messages than are mailed.
 */
export function createArrivals({ webhook, replyHours, settings }: Options): () => Promise<unknown> {
  const { siteUrl, timeZone, mailPerHour } = settings;
  let hourBeganAt = Number.NEGATIVE_INFINITY;
  let told = 0;
  return async () => {
    if (performance.now() - hourBeganAt >= HOUR) {
      hourBeganAt = performance.now();
      told = 0;
    }
    if (told === mailPerHour) return;
    told += 1;
    const due = describeTime(Date.now() + replyHours() * HOUR, timeZone);
    await webhook(`New message on ${pageName(siteUrl)}. Answer by ${due}.`);
  };
}
