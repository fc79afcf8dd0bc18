import * as v from 'valibot';
import { about, type Check, type Finding } from './check.ts';
import { domainOf } from './dns.ts';
import { ask, CERTIFICATE_FAULTS, parseJson } from './web.ts';

const service = about('messages', 'mail-server', 'Mail service');
const key = about('messages', 'mail-login', 'Mail key');
const sender = about('messages', 'mail-sender', 'Mail sender');

/** Resend's own domain. From it, a new account can only write to its owner. */
const TRIAL_DOMAIN = 'resend.dev';

const DOMAINS = v.object({ data: v.array(v.object({ name: v.string(), status: v.string() })) });

/** Asks which domains the key may send from. Sends nothing. */
export const resend: Check = {
  about: service,
  needs: ['RESEND_BASE_URL', 'MAIL_FROM'],
  when: ({ mail }) => mail.via === 'resend',
  run: async ({ settings: { mail, mailFrom } }, signal) => {
    if (mail.via !== 'resend') return [];
    const { host } = new URL(mail.baseUrl);
    const headers = { authorization: `Bearer ${mail.apiKey}`, 'user-agent': 'contact-form' };
    const answer = await ask(`${mail.baseUrl}/domains`, signal, { headers });
    if ('failed' in answer) {
      const reason = CERTIFICATE_FAULTS[answer.failed] ?? `cannot be reached (${answer.failed}).`;
      const todo = 'Check RESEND_BASE_URL, and that this machine can reach the internet.';
      return [service.wrong(`${host} ${reason}`, todo)];
    }
    const reached = service.ok(`${host} answers.`);
    const body = parseJson(answer.text);
    // A send-only key is the best one to have.
    if (body.name === 'restricted_api_key')
      return [reached, key.ok('Accepted. It can only send mail, which is enough.')];
    if (answer.status === 401 || answer.status === 403) {
      const todo = 'Make a new key in Resend’s dashboard, and copy all of it into RESEND_API_KEY.';
      return [reached, key.wrong(`${host} refuses RESEND_API_KEY (code ${answer.status}).`, todo)];
    }
    if (answer.status !== 200 || !v.is(DOMAINS, body)) {
      const todo = 'Try again in a few minutes; --send-test shows whether mails pass.';
      return [service.look(`${host} answers with code ${answer.status}.`, todo)];
    }
    const domain = domainOf(mailFrom.address);
    const status = body.data.find(({ name }) => name === domain)?.status;
    return [reached, key.ok('Accepted.'), describeSender(domain, status)];
  },
};

/** @param status undefined if the account doesn't have the domain */
function describeSender(domain: string, status: string | undefined): Finding {
  if (domain === TRIAL_DOMAIN) {
    return sender.look(
      `Mails come from ${TRIAL_DOMAIN}, which only reaches the address of your Resend account.`,
      'Add your own domain in Resend’s dashboard, and set MAIL_FROM to an address of it.',
    );
  }
  if (status === 'verified') return sender.ok(`Resend sends for ${domain}.`);
  if (!status) {
    return sender.wrong(
      `Your Resend account doesn’t have ${domain}, so it refuses every mail from it.`,
      `Add ${domain} in Resend’s dashboard, or set MAIL_FROM to an address of a domain that is there.`,
    );
  }
  return sender.wrong(
    `Resend does not send for ${domain} yet (${status.replaceAll('_', ' ')}).`,
    'Put the DNS records that its dashboard shows into your domain, and press “Verify” there.',
  );
}
