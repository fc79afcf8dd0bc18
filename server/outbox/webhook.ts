import type { Settings } from '../../settings/settings.ts';
import type { Log } from '../log.ts';

/** With the last two, ntfy shows the text in the JSON, and others ignore them: https://docs.ntfy.sh/publish/#message-templating. */
const HEADERS = { 'content-type': 'application/json', 'x-template': 'yes', 'x-message': '{{.text}}' };

/** Posts a text; false if it wasn't taken. */
export type Webhook = (text: string) => Promise<boolean>;

export function openWebhook({ alertWebhookUrl: url }: Settings, log: Log): Webhook | undefined {
  if (!url) return undefined;
  return async (text) => {
    try {
      const body = JSON.stringify({ text });
      const signal = AbortSignal.timeout(10_000);
      const post = async (to: string) => {
        // Where it has moved, `fetch` itself would only get the page there, and take that for a yes.
        const how = { method: 'POST', redirect: 'manual' } as const;
        const response = await fetch(to, { ...how, headers: HEADERS, body, signal });
        await response.body?.cancel();
        return response;
      };
      const first = await post(url);
      const movedTo = first.status >= 300 && first.headers.get('location');
      const { ok, status } = movedTo ? await post(new URL(movedTo, url).href) : first;
      if (ok) return true;
      log.warn({ status }, 'ALERT_WEBHOOK_URL does not take the alert');
    } catch (error) {
      // Most services treat the webhook's address as a secret; errorFacts leaves it out.
      log.warn({ err: error }, 'ALERT_WEBHOOK_URL cannot be reached');
    }
    return false;
  };
}
