import { Resolver } from 'node:dns/promises';
import { codeOf } from '../../server/messages/store-error.ts';
import { domainOf } from '../../settings/checks.ts';
import type { Settings } from '../../settings/settings.ts';
import { about, type Check, type Finding, fieldOf, type Subject } from './finding.ts';

const spf = about('spf', 'SPF');
const dkim = about('dkim', 'DKIM');
const dmarc = about('dmarc', 'DMARC');
const sender = about('sender-domain', 'Sender’s domain');
const inbox = about('inbox', 'Your inbox');

/** Per server. */
const ASK = { timeout: 1_500, tries: 2 };

/** Whether the sender's domain vouches for its mails, or they end up as spam; and whether the owner's takes any. */
export const domain: Check = ({ settings }) => checkDomains(settings, new Resolver(ASK));

export function checkDomains({ mailFrom, contactEmail }: Settings, resolver: Resolver): Promise<Finding[]> {
  const [from, to] = [domainOf(mailFrom.address), domainOf(contactEmail)];
  const example = (subject: Subject, name: string, setting: string) =>
    subject.look(`${name} is only an example.`, 'Give an address of your own.', fieldOf(setting));
  const ask = (subject: Subject, check: typeof checkSpf, name: string) =>
    check(name, resolver).catch(() =>
      subject.look(`${name} couldn’t be looked up in the DNS.`, 'Try again in a few minutes.'),
    );
  const ofSender = isExample(from)
    ? [from !== to && example(sender, from, 'MAIL_FROM')]
    : [ask(spf, checkSpf, from), ask(dkim, checkDkim, from), ask(dmarc, checkDmarc, from)];
  const ofInbox = isExample(to) ? example(inbox, contactEmail, 'CONTACT_EMAIL') : ask(inbox, checkInbox, to);
  return Promise.all([...ofSender.filter((one) => one !== false), ofInbox]);
}

async function checkSpf(domain: string, resolver: Resolver): Promise<Finding> {
  const records = await texts(resolver, domain, /^v=spf1( |$)/i);
  if (!records)
    return sender.wrong(`There’s no domain ${domain}.`, 'Is there a typo in it?', fieldOf('MAIL_FROM'));
  const change = `Where you manage the DNS of ${domain},`;
  if (records.length > 1)
    return spf.wrong(
      `${domain} has more than one SPF record, so receivers ignore them all.`,
      `${change} join them into one: a single v=spf1, then every “include”, then ~all.`,
    );
  return records.length === 1
    ? spf.ok(`${domain} says which servers may send its mail.`)
    : spf.look(
        `${domain} doesn’t say which servers may send its mail, so emails may end up as spam.`,
        `${change} add the TXT record that your mail provider gives for SPF (it begins with v=spf1).`,
      );
}

/** Only the signer knows a key's name. But where a name doesn't exist, nothing below it does (RFC 8020). */
async function checkDkim(domain: string, resolver: Resolver): Promise<Finding> {
  const name = `_domainkey.${domain}`;
  return (await existing(resolver.resolveTxt(name)))
    ? dkim.ok(`${domain} has keys to sign its emails. A test email shows whether yours are signed.`)
    : dkim.look(
        `No key to sign emails was found below ${name}, so emails from ${domain} may be refused, or end up as spam.`,
        'Turn on DKIM at your mail provider, and add the record that it gives you.',
      );
}

async function checkDmarc(domain: string, resolver: Resolver): Promise<Finding> {
  // A subdomain without a record inherits its parent's. All but the top-level domain are asked.
  const labels = domain.split('.');
  const domains = labels.slice(0, -1).map((_, above) => labels.slice(above).join('.'));
  const ask = (name: string) => texts(resolver, `_dmarc.${name}`, /^v=DMARC1\b/);
  return (await Promise.all(domains.map(ask))).some((records) => records?.length)
    ? dmarc.ok(`${domain} says what to do with emails forged in its name.`)
    : dmarc.look(
        `${domain} doesn’t say what to do with emails forged in its name, which large mail providers ask for.`,
        `Add a TXT record at _dmarc.${domain}, for a start: v=DMARC1; p=none; rua=mailto:you@${domain}`,
      );
}

async function checkInbox(domain: string, resolver: Resolver): Promise<Finding> {
  const records = await existing(resolver.resolveMx(domain));
  const [first] = records?.toSorted((a, b) => a.priority - b.priority) ?? [];
  // An empty host means "no mail here" (RFC 7505).
  if (first && !/^\.?$/.test(first.exchange))
    return inbox.ok(`Mail for ${domain} goes to ${first.exchange}.`);
  const say = records && !first ? inbox.look : inbox.wrong;
  const found = records ? `${domain} names no server that takes mail` : `There’s no domain ${domain}`;
  return say(`${found}, so nothing reaches you.`, 'Is there a typo in it?', fieldOf('CONTACT_EMAIL'));
}

async function texts(resolver: Resolver, name: string, wanted: RegExp): Promise<string[] | undefined> {
  const records = await existing(resolver.resolveTxt(name));
  return records?.map((parts) => parts.join('')).filter((text) => wanted.test(text));
}

/** Undefined if the name doesn't exist. */
function existing<Record>(question: Promise<Record[]>): Promise<Record[] | undefined> {
  return question.catch((error) => {
    if (codeOf(error) === 'ENODATA') return [];
    if (codeOf(error) === 'ENOTFOUND') return undefined;
    throw error;
  });
}

/** Names that RFC 2606 reserves for examples. */
export function isExample(hostname: string): boolean {
  return /(^|\.)(example(\.(com|net|org))?|test|invalid)$/i.test(hostname);
}
