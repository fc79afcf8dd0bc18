import { Resolver } from 'node:dns/promises';
import { codeOf } from '../../server/messages/store-error.ts';
import { about, type Check, type Finding, fieldOf, type Subject } from './finding.ts';

const spf = about('domain', 'spf', 'SPF');
const dkim = about('domain', 'dkim', 'DKIM');
const dmarc = about('domain', 'dmarc', 'DMARC');
const sender = about('domain', 'sender-domain', 'Sender’s domain');
const inbox = about('domain', 'inbox', 'Your inbox');

/** Per server. */
const ASK = { timeout: 1_500, tries: 2 };

/** Whether the sender's domain vouches for its mails, or they end up as spam; and whether the owner's takes any. */
export const domain: Check = {
  needs: ['MAIL_FROM', 'CONTACT_EMAIL'],
  async run({ settings: { mailFrom, contactEmail }, dnsServer }, signal) {
    const resolver = openResolver(dnsServer, signal);
    const [from, to] = [domainOf(mailFrom.address), domainOf(contactEmail)];
    const findings: Promise<Finding>[] = [];
    if (isExample(from) && from !== to) {
      const found = `Mails would come from ${from}, which is only an example.`;
      const todo = 'Set MAIL_FROM to an address of your own.';
      findings.push(Promise.resolve(sender.look(found, todo, fieldOf('MAIL_FROM'))));
    }
    if (!isExample(from))
      findings.push(
        orUnanswered(spf, from, checkSpf(from, resolver)),
        orUnanswered(dkim, from, checkDkim(from, resolver)),
        orUnanswered(dmarc, from, checkDmarc(from, resolver)),
      );
    if (isExample(to)) {
      const found = `${contactEmail} is an example; nothing reaches you there.`;
      const todo = 'Set CONTACT_EMAIL to your own address.';
      findings.push(Promise.resolve(inbox.look(found, todo, fieldOf('CONTACT_EMAIL'))));
    } else findings.push(orUnanswered(inbox, to, checkInbox(contactEmail, to, resolver)));
    return Promise.all(findings);
  },
};

async function checkSpf(domain: string, resolver: Resolver): Promise<Finding> {
  const records = await texts(resolver, domain, /^v=spf1( |$)/i);
  if (!records) {
    const todo = 'Check MAIL_FROM and CONTACT_EMAIL for a typo.';
    const found = `There’s no domain ${domain}, so receivers refuse mails from it.`;
    return sender.wrong(found, todo, fieldOf('MAIL_FROM'));
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

/**
 * A key's name is known only to who signs. But where a name doesn't exist, nothing below it does (RFC 8020), so no key does
 * either.
 */
async function checkDkim(domain: string, resolver: Resolver): Promise<Finding> {
  const name = `_domainkey.${domain}`;
  return (await existing(resolver.resolveTxt(name)))
    ? dkim.ok(`${domain} has keys to sign its mails. Whether yours are signed, a test mail shows.`)
    : dkim.look(
        `No key to sign mails was found below ${name}, so mails from ${domain} may be refused, or end up as spam.`,
        'Turn on DKIM at your mail provider, and add the record that it gives you.',
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

async function checkInbox(address: string, domain: string, resolver: Resolver): Promise<Finding> {
  const todo = `Check CONTACT_EMAIL for a typo, and the MX records of ${domain}.`;
  const link = fieldOf('CONTACT_EMAIL');
  const lost = (why: string) => inbox.wrong(`${why}, so nothing reaches ${address}.`, todo, link);
  const records = await existing(resolver.resolveMx(domain));
  if (!records) return lost(`There’s no domain ${domain}`);
  const [first] = records.toSorted((a, b) => a.priority - b.priority);
  if (!first)
    return inbox.look(`${domain} has no mail server, so mails are sent to its web server.`, todo, link);
  // An empty host means "no mail here" (RFC 7505).
  if (/^\.?$/.test(first.exchange)) return lost(`${domain} accepts no mail`);
  return inbox.ok(`Mail for ${domain} goes to ${first.exchange}.`);
}

/** Undefined if the name doesn't exist. */
function existing<Record>(question: Promise<Record[]>): Promise<Record[] | undefined> {
  return question.catch((error) => {
    if (codeOf(error) === 'ENODATA') return [];
    if (codeOf(error) === 'ENOTFOUND') return undefined;
    throw error;
  });
}

function orUnanswered(subject: Subject, name: string, answer: Promise<Finding>): Promise<Finding> {
  const todo = 'Run this where the DNS can be reached, or name a DNS server, such as --dns-server 1.1.1.1.';
  return answer.catch(() => subject.look(`The DNS could not be asked about ${name}.`, todo));
}

/** @param server undefined for the machine's own */
function openResolver(server: string | undefined, signal: AbortSignal): Resolver {
  const resolver = new Resolver(ASK);
  if (server) resolver.setServers([server]);
  signal.addEventListener('abort', () => resolver.cancel(), { once: true });
  return resolver;
}

export function domainOf(address: string): string {
  return address.slice(address.lastIndexOf('@') + 1).toLowerCase();
}

/** Names that RFC 2606 reserves for examples. */
export function isExample(hostname: string): boolean {
  return /(^|\.)(example(\.(com|net|org))?|test|invalid)$/i.test(hostname);
}
