import type { Settings } from '../../settings/settings.ts';
import type { Log } from '../log.ts';

/** With the last two, ntfy shows the text in the JSON, and others ignore them: https://docs.ntfy.sh/publish/#message-templating. */
const headers = { 'content-type': 'application/json', 'x-template': 'yes', 'x-message': '{{.text}}' };
/** By itself, `fetch` would follow a redirect with a GET, and its answer would count as a yes. */
const HOW = { method: 'POST', redirect: 'error', headers } as const;

/** Posts a text; false if it wasn't taken. */
export type Webhook = (text: string) => Promise<boolean>;

export function openWebhook({ alertWebhookUrl: url }: Settings, log?: Log): Webhook | undefined {
  if (!url) return undefined;
  return async (text) => {
    try {
      const signal = AbortSignal.timeout(10_000);
      const response = await fetch(url, { ...HOW, body: JSON.stringify({ text }), signal });
      await response.body?.cancel();
      if (response.ok) return true;
      log?.warn({ status: response.status }, 'ALERT_WEBHOOK_URL does not take the alert');
    } catch (error) {
      // Most services treat the webhook's address as a secret; errorFacts leaves it out.
      log?.warn({ err: error }, 'ALERT_WEBHOOK_URL cannot be reached');
    }
    return false;
  };
}
