import { about, type Check } from './check.ts';

const subject = about('messages', 'alarm', 'Alarm');

/** Whether the owner would find out if mail stopped. */
export const alarm: Check = {
  about: subject,
  needs: ['ALERT_WEBHOOK_URL'],
  // A Supabase function has its own settings, which we can't see from here.
  when: ({ supabaseUrl }) => !supabaseUrl,
  run: async ({ settings: { alertWebhookUrl } }) =>
    alertWebhookUrl
      ? [subject.ok('If mails fail, ALERT_WEBHOOK_URL gets an alert.')]
      : [
          subject.look(
            'If mails fail, only the server’s log says so: ALERT_WEBHOOK_URL is not set.',
            'Set ALERT_WEBHOOK_URL in .env to an address that alerts you, such as a topic of ntfy.',
          ),
        ],
};
