import { Resolver } from 'node:dns/promises';
import { isExample } from '../../publish/placeholders.ts';
import { codeOf } from '../../server/messages/store-error.ts';
import { about, type Check, type Finding, type Subject } from './check.ts';

const spf = about('messages', 'spf', 'SPF');
const dmarc = about('messages', 'dmarc', 'DMARC');
const sender = about('messages', 'sender-domain', 'Sender’s domain');

/** Per server. */
const ASK = { timeout: 1_500, tries: 2 };

/** Whether the sender's domain has SPF and DMARC; without them, mail ends up in spam. */
export const dns: Check = {
  about: sender,
  needs: ['MAIL_FROM', 'CONTACT_EMAIL'],
  // The inbox check already says when it's still an example.
  when: ({ mailFrom, contactEmail }) =>
    mailFrom.address !== contactEmail || !isExample(domainOf(contactEmail)),
  async run({ settings, dnsServer }, signal) {
    const domain = domainOf(settings.mailFrom.address);
    if (isExample(domain)) {
      const found = `Mails would come from ${domain}, which is only an example.`;
      return [sender.look(found, 'Set CONTACT_EMAIL, or MAIL_FROM, to an address of your own.')];
    }
    const resolver = openResolver(dnsServer, signal);
    return Promise.all([
      orUnanswered(spf, domain, checkSpf(domain, resolver)),
      orUnanswered(dmarc, domain, checkDmarc(domain, resolver)),
    ]);
  },
};

async function checkSpf(domain: string, resolver: Resolver): Promise<Finding> {
  const records = await texts(resolver, domain, /^v=spf1( |$)/i);
  if (!records) {
    const todo = 'Check MAIL_FROM and CONTACT_EMAIL for a typo.';
    return sender.wrong(`There’s no domain ${domain}, so receivers refuse mails from it.`, todo);
  }
  const change = `Where you manage the DNS of ${domain},`;
  if (records.length > 1) {
    return spf.wrong(
      `${domain} has more than one SPF record, so receivers ignore them all.`,
      `${change} join them into one: a single v=spf1, then every “include”, then ~all.`,
    );
  }
  return records.length === 1
    ? spf.ok(`${domain} says which servers may send its mail.`)
    : spf.look(
        `${domain} doesn’t say which servers may send its mail, so mails may end up as spam.`,
        `${change} add the TXT record that your mail provider gives for SPF (it begins with v=spf1).`,
      );
}

async function checkDmarc(domain: string, resolver: Resolver): Promise<Finding> {
  // A subdomain without a record inherits its parent's.
  const labels = domain.split('.');
  const domains = labels.map((_, above) => labels.slice(above).join('.'));
  const ask = (name: string) => texts(resolver, `_dmarc.${name}`, /^v=DMARC1\b/);
  // All but the top-level domain.
  return (await Promise.all(domains.slice(0, -1).map(ask))).some((records) => records?.length)
    ? dmarc.ok(`${domain} says what to do with mails forged in its name.`)
    : dmarc.look(
        `${domain} doesn’t say what to do with mails forged in its name, which large mail providers ask for.`,
        `Add a TXT record at _dmarc.${domain}, for a start: v=DMARC1; p=none; rua=mailto:you@${domain}`,
      );
}

async function texts(resolver: Resolver, name: string, wanted: RegExp): Promise<string[] | undefined> {
  const records = await existing(resolver.resolveTxt(name));
  return records?.map((parts) => parts.join('')).filter((text) => wanted.test(text));
}

/** Undefined if the name doesn't exist. */
export function existing<Record>(question: Promise<Record[]>): Promise<Record[] | undefined> {
  return question.catch((error) => {
    if (codeOf(error) === 'ENODATA') return [];
    if (codeOf(error) === 'ENOTFOUND') return undefined;
    throw error;
  });
}

export function orUnanswered(subject: Subject, name: string, answer: Promise<Finding>): Promise<Finding> {
  const todo = 'Run this where the DNS can be reached, or name a DNS server, such as --dns-server 1.1.1.1.';
  return answer.catch(() => subject.look(`The DNS could not be asked about ${name}.`, todo));
}

/** @param server undefined for the machine's own */
export function openResolver(server: string | undefined, signal: AbortSignal): Resolver {
  const resolver = new Resolver(ASK);
  if (server) resolver.setServers([server]);
  signal.addEventListener('abort', () => resolver.cancel(), { once: true });
  return resolver;
}

export function domainOf(address: string): string {
  return address.slice(address.lastIndexOf('@') + 1).toLowerCase();
}
