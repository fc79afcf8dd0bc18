import { Buffer } from 'node:buffer';
import { createHmac } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';
import type { Settings } from '../../settings/settings.ts';
import type { Log } from '../log.ts';

/** With these, ntfy shows the text in the JSON, and others ignore them: https://docs.ntfy.sh/publish/#message-templating. */
const FOR_NTFY = { 'x-template': 'yes', 'x-message': '{{.text}}' };

/** Posts a text; false if it wasn't taken. */
export type Webhook = (text: string) => Promise<boolean>;

export function openWebhook(settings: Settings, log: Log): Webhook | undefined {
  const { alertWebhookUrl: url, alertWebhookSecret: secret } = settings;
  if (!url) return undefined;
  return async (text) => {
    const body = JSON.stringify({ text });
    const headers = { 'content-type': 'application/json', ...FOR_NTFY, ...(secret && sign(secret, body)) };
    try {
      const signal = AbortSignal.timeout(10_000);
      const response = await fetch(url, { method: 'POST', headers, body, signal });
      await response.body?.cancel();
      if (response.ok) return true;
      log.warn({ status: response.status }, 'ALERT_WEBHOOK_URL does not take the alert');
    } catch (error) {
      // Most services treat the webhook's address as a secret; errorFacts leaves it out.
      log.warn({ err: error }, 'ALERT_WEBHOOK_URL cannot be reached');
    }
    return false;
  };
}

/** By Standard Webhooks 1.0.0, see https://www.standardwebhooks.com. */
function sign(secret: string, body: string) {
  const id = uuidv7();
  const timestamp = String(Math.floor(Date.now() / 1000));
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signature}` };
}
