import { Resolver } from 'node:dns/promises';
import { isExample } from '../../build/placeholders.ts';
import { codeOf } from '../failures.ts';
import { about, type Check, type Finding, type Subject } from './check.ts';

const spf = about('messages', 'spf', 'SPF');
const dmarc = about('messages', 'dmarc', 'DMARC');
const sender = about('messages', 'sender-domain', 'Sender’s domain');

/** Waits for each server that often; c-ares doubles the wait at the second. */
const ASK = { timeout: 1_500, tries: 2 };
/** For all servers and questions together. */
const PATIENCE_MS = 10_000;

/** Whether the DNS of the sender's domain vouches for mails from it; without that they end as spam. */
export const dns: Check = {
  name: 'dns',
  about: sender,
  needs: ['MAIL_FROM', 'CONTACT_EMAIL'],
  // The line about the inbox says the same of one example.
  when: ({ mailFrom, contactEmail }) =>
    mailFrom.address !== contactEmail || !isExample(domainOf(contactEmail)),
  async run({ settings, dnsServer }, signal) {
    const domain = domainOf(settings.mailFrom.address);
    if (isExample(domain)) {
      const found = `Mails would come from ${domain}, which is an example and nobody’s domain.`;
      return [sender.look(found, 'Set CONTACT_EMAIL, or MAIL_FROM, to an address of your own.')];
    }
    const resolver = openResolver(dnsServer, signal);
    // Resend sends in the name of this subdomain, and shows the owner's domain.
    const names = settings.mail.via === 'resend' ? [domain, `send.${domain}`] : [domain];
    return Promise.all([
      asked(spf, domain, () => checkSpf(domain, names, resolver)),
      asked(dmarc, domain, () => checkDmarc(domain, resolver)),
    ]);
  },
};

async function checkSpf(domain: string, names: readonly string[], resolver: Resolver): Promise<Finding> {
  const [own, ...others] = await Promise.all(names.map((name) => texts(resolver, name, /^v=spf1( |$)/i)));
  if (own === undefined) {
    const todo = 'Check MAIL_FROM and CONTACT_EMAIL for a typing mistake.';
    return sender.wrong(`There is no domain ${domain}, and receivers refuse mails from there.`, todo);
  }
  const change = `Where you manage the DNS of ${domain},`;
  if (own.length > 1) {
    return spf.wrong(
      `${domain} has more than one SPF record, and receivers then heed none.`,
      `${change} join them into one: a single v=spf1, then every “include”, then ~all.`,
    );
  }
  return [own, ...others].some((records) => records?.length === 1)
    ? spf.ok(`${domain} names who may send its mail.`)
    : spf.look(
        `${domain} does not say which servers may send its mail; mails may end as spam.`,
        `${change} add the TXT record that your mail provider gives for SPF (it begins with v=spf1).`,
      );
}

async function checkDmarc(domain: string, resolver: Resolver): Promise<Finding> {
  const labels = domain.split('.');
  // A subdomain without a record of its own follows a domain above it.
  const names = labels
    .slice(0, Math.max(1, labels.length - 1))
    .map((_, above) => labels.slice(above).join('.'));
  const records = await Promise.all(names.map((name) => texts(resolver, `_dmarc.${name}`, /^v=DMARC1\b/)));
  return records.some((found) => found?.length)
    ? dmarc.ok(`${domain} says what to do with mails forged in its name.`)
    : dmarc.look(
        `${domain} does not say what to do with mails forged in its name; large receivers ask for that.`,
        `Add a TXT record at _dmarc.${domain}, to begin with: v=DMARC1; p=none; rua=mailto:you@${domain}`,
      );
}

async function texts(resolver: Resolver, name: string, wanted: RegExp): Promise<string[] | undefined> {
  const records = await existing(resolver.resolveTxt(name));
  return records?.map((parts) => parts.join('')).filter((text) => wanted.test(text));
}

/** The DNS could not be asked: no answer, or one that says only that it has none now. */
class NoAnswer extends Error {}

/**
 * @returns no records where a name has none, and undefined where there's no such name
 * @throws {NoAnswer}
 */
export async function existing<Record>(question: Promise<Record[]>): Promise<Record[] | undefined> {
  try {
    return await question;
  } catch (error) {
    const code = codeOf(error);
    if (code === 'ENODATA') return [];
    if (code === 'ENOTFOUND') return undefined;
    throw new NoAnswer(undefined, { cause: error });
  }
}

/** One question that isn't answered leaves the others their answers. */
export async function asked(
  subject: Subject,
  name: string,
  question: () => Promise<Finding>,
): Promise<Finding> {
  try {
    return await question();
  } catch (error) {
    if (!(error instanceof NoAnswer)) throw error;
    return subject.look(
      `The DNS could not be asked about ${name}.`,
      'Run this where the DNS can be reached, or name a DNS server, such as --dns-server 1.1.1.1.',
    );
  }
}

/** @param server address of a DNS server, with a port if it is not 53; undefined is the machine's own */
export function openResolver(server: string | undefined, signal: AbortSignal): Resolver {
  const resolver = new Resolver(ASK);
  if (server) resolver.setServers([server]);
  const stop = AbortSignal.any([signal, AbortSignal.timeout(PATIENCE_MS)]);
  stop.addEventListener('abort', () => resolver.cancel(), { once: true });
  return resolver;
}

export function domainOf(address: string): string {
  return address.slice(address.lastIndexOf('@') + 1).toLowerCase();
}
