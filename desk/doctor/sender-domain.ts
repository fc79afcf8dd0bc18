import { createPublicKey } from 'node:crypto';
import { isExample } from '../../build/placeholders.ts';
import { type Lookup, NoAnswer } from './dns.ts';
import { about, type Finding } from './finding.ts';
import { readSpf } from './spf.ts';

const spf = about('messages', 'spf', 'SPF');
const dkim = about('messages', 'dkim', 'DKIM');
const dmarc = about('messages', 'dmarc', 'DMARC');
export const inbox = about('messages', 'inbox', 'Your inbox');
export const sender = about('messages', 'sender-domain', 'Sender’s domain');

/** Names under which mail providers usually publish their key; the DNS cannot be asked for a list. */
const USUAL_SELECTORS = [
  'default',
  'dkim',
  'fm1',
  'google',
  'k1',
  'mail',
  'protonmail',
  'resend',
  's1',
  'selector1',
  'zoho',
];

const NOT_ASKED_TODO =
  'Run this where the DNS can be reached, or name a DNS server, such as --dns-server 1.1.1.1.';

export function notAsked(subject: ReturnType<typeof about>, name: string): Finding {
  return subject.look(`The DNS could not be asked about ${name}.`, NOT_ASKED_TODO);
}

/** One part that cannot be asked leaves the others their answers. */
async function asked(
  subject: ReturnType<typeof about>,
  name: string,
  question: () => Promise<Finding>,
): Promise<Finding> {
  try {
    return await question();
  } catch (error) {
    if (!(error instanceof NoAnswer)) throw error;
    return notAsked(subject, name);
  }
}

/**
 * Whether the DNS of the sender's domain vouches for mails from it; without that they end as spam.
 *
 * @param dkimSelector undefined: the usual ones are tried
 * @param envelopeDomain what a mail service may send in the name of instead; its SPF record will do
 */
export async function checkSenderDomain(
  domain: string,
  {
    lookup,
    dkimSelector,
    envelopeDomain,
  }: { lookup: Lookup; dkimSelector: string | undefined; envelopeDomain?: string | undefined },
): Promise<Finding[]> {
  if (isExample(domain)) {
    const todo = 'Set CONTACT_EMAIL, or MAIL_FROM, to an address of your own.';
    return [sender.look(`Mails would come from ${domain}, which is an example and nobody’s domain.`, todo)];
  }
  const isMissing = await lookup.txt(domain).then(
    (texts) => texts === undefined,
    () => false,
  );
  if (isMissing) {
    const todo = 'Check MAIL_FROM and CONTACT_EMAIL for a typing mistake.';
    return [sender.wrong(`There is no domain ${domain}, and receivers refuse mails from there.`, todo)];
  }
  const findings = await Promise.all([
    asked(spf, domain, () => checkSpf(domain, lookup, envelopeDomain)),
    asked(dkim, domain, () => checkDkim(domain, lookup, dkimSelector)),
    asked(dmarc, domain, () => checkDmarc(domain, lookup)),
  ]);
  const isUnanswered = findings.every(({ found }) => found === notAsked(sender, domain).found);
  return isUnanswered ? [notAsked(sender, domain)] : findings;
}

/** Whether the owner's own address can get mail at all. */
export async function checkInbox(address: string, lookup: Lookup): Promise<Finding[]> {
  const domain = domainOf(address);
  if (isExample(domain)) {
    const todo = 'Set CONTACT_EMAIL in .env to your own address.';
    return [inbox.look(`${address} is an example; nothing reaches you there.`, todo)];
  }
  const finding = await asked(inbox, domain, async () => {
    const hosts = await lookup.mx(domain);
    const todo = `Check CONTACT_EMAIL for a typing mistake, and the MX records of ${domain}.`;
    if (hosts === undefined)
      return inbox.wrong(`There is no domain ${domain}, so nothing reaches ${address}.`, todo);
    // One record with an empty host says "no mail here" (RFC 7505).
    if (hosts.length === 1 && /^\.?$/.test(hosts[0] ?? ''))
      return inbox.wrong(`${domain} takes no mail at all, so nothing reaches ${address}.`, todo);
    if (hosts.length > 0) return inbox.ok(`Mail for ${domain} goes to ${hosts[0]}.`);
    // Without MX records mail goes to the domain's own address (RFC 5321, 5.1).
    return (await lookup.hasAddress(domain))
      ? inbox.look(
          `${domain} names no mail server; mails are tried at its web address.`,
          `Check that ${address} really gets mail.`,
        )
      : inbox.wrong(`${domain} has no mail server, so nothing reaches ${address}.`, todo);
  });
  return [finding];
}

export function domainOf(address: string): string {
  return address.slice(address.lastIndexOf('@') + 1).toLowerCase();
}

async function checkSpf(domain: string, lookup: Lookup, other?: string): Promise<Finding> {
  const result = await readSpf(domain, lookup);
  if (result.state === 'missing' && other) {
    const found = await checkSpf(other, lookup);
    if (found.verdict !== 'look') return found;
  }
  const change = `Where you manage the DNS of ${domain},`;
  switch (result.state) {
    case 'missing':
      return spf.look(
        `${domain} does not say which servers may send its mail; mails may end as spam.`,
        `${change} add the TXT record that your mail provider gives for SPF (it begins with v=spf1).`,
      );
    case 'several':
      return spf.wrong(
        `${domain} has more than one SPF record, and receivers then heed none.`,
        `${change} join them into one: a single v=spf1, then every “include”, then ~all.`,
      );
    case 'broken':
      return spf.wrong(
        `The SPF record of ${domain} does not work. ${result.fault}`,
        `${change} correct the record; your mail provider tells what it has to say.`,
      );
    case 'valid':
      if (result.all === '+') {
        return spf.wrong(
          `The SPF record of ${domain} lets anybody send in your name.`,
          `${change} end the record with ~all in place of +all.`,
        );
      }
      if (result.all === undefined || result.all === '?') {
        return spf.look(
          `The SPF record of ${domain} says nothing about other senders.`,
          `${change} end the record with ~all.`,
        );
      }
      return spf.ok(`${domain} names who may send its mail (${result.lookups} of 10 lookups used).`);
  }
}

async function checkDkim(domain: string, lookup: Lookup, selector: string | undefined): Promise<Finding> {
  if (selector) {
    const record = await dkimRecord(domain, selector, lookup);
    if (record !== undefined) return describeKey(record, selector);
    return dkim.wrong(
      `There is no DKIM key at ${selector}._domainkey.${domain}.`,
      `Compare the selector with your mail provider’s, and add the record it gives to the DNS of ${domain}.`,
    );
  }
  for (const { selector, record } of await Promise.all(
    USUAL_SELECTORS.map(async (selector) => ({
      selector,
      record: await dkimRecord(domain, selector, lookup),
    })),
  )) {
    if (record !== undefined) return describeKey(record, selector);
  }
  return dkim.look(
    'No DKIM key was found under the usual names; without one, mails may end as spam.',
    'Ask your mail provider for the selector, and give it: --dkim-selector NAME.',
  );
}

async function dkimRecord(domain: string, selector: string, lookup: Lookup): Promise<string | undefined> {
  const texts = await lookup.txt(`${selector}._domainkey.${domain}`);
  return texts?.find((text) => 'p' in tags(text));
}

function describeKey(record: string, selector: string): Finding {
  const { p = '', k = 'rsa', t = '' } = tags(record);
  const key = p.replace(/\s+/g, '');
  const place = `The DKIM key “${selector}”`;
  if (key === '') {
    return dkim.wrong(
      `${place} was withdrawn: its record is empty.`,
      'Create a new key at your mail provider, and put its record into the DNS.',
    );
  }
  const bits = k === 'rsa' ? rsaBits(key) : undefined;
  if (k === 'rsa' && bits === undefined) {
    return dkim.wrong(
      `${place} cannot be read.`,
      'Copy the record from your mail provider again; part of it is missing.',
    );
  }
  if (bits !== undefined && bits < 1024) {
    return dkim.wrong(`${place} is so short that receivers ignore it.`, 'Create a key of 2048 bits.');
  }
  if (t.split(':').includes('y')) {
    return dkim.look(
      `${place} is marked as a test, so receivers may ignore it.`,
      'Remove t=y from its record.',
    );
  }
  if (bits !== undefined && bits < 2048) {
    return dkim.look(`${place} works, but has only ${bits} bits.`, 'Create a key of 2048 bits when you can.');
  }
  return dkim.ok(`${place} is published${bits ? ` (${bits} bits)` : ''}.`);
}

/** Both forms are about: RFC 6376 names the second, OpenSSL writes the first. */
function rsaBits(base64: string): number | undefined {
  for (const type of ['spki', 'pkcs1'] as const) {
    try {
      const key = createPublicKey({ key: Buffer.from(base64, 'base64'), format: 'der', type });
      return key.asymmetricKeyDetails?.modulusLength;
    } catch {
      // Not in this form.
    }
  }
  return undefined;
}

async function checkDmarc(domain: string, lookup: Lookup): Promise<Finding> {
  const labels = domain.split('.');
  // A subdomain without a record of its own follows the nearest domain above that has one.
  for (let above = 0; above < Math.max(1, labels.length - 1); above += 1) {
    const name = labels.slice(above).join('.');
    const records = ((await lookup.txt(`_dmarc.${name}`)) ?? []).filter((text) => /^v=DMARC1\b/.test(text));
    const [record] = records;
    if (record !== undefined) return describeDmarc(record, records.length, name, above > 0);
  }
  return dmarc.look(
    `${domain} does not say what to do with mails forged in its name; large receivers ask for that.`,
    `Add a TXT record at _dmarc.${domain}, to begin with: v=DMARC1; p=none; rua=mailto:you@${domain}`,
  );
}

function describeDmarc(record: string, count: number, name: string, inherited: boolean): Finding {
  const fix = `Correct the TXT record at _dmarc.${name}, for instance: v=DMARC1; p=quarantine`;
  if (count > 1) return dmarc.wrong(`There are ${count} DMARC records, and receivers then heed none.`, fix);
  const { p, sp } = tags(record);
  const policy = (inherited && sp) || p;
  const words: Record<string, string> = {
    none: 'are delivered and reported',
    quarantine: 'go to spam',
    reject: 'are refused',
  };
  const done = words[policy?.toLowerCase() ?? ''];
  if (!done)
    return dmarc.wrong(`The DMARC record says ${policy ? `p=${policy}` : 'no p='}, which is no policy.`, fix);
  return dmarc.ok(`Mails forged in the name of ${name} ${done} (p=${policy}).`);
}

/** `a=b; c=d` as DKIM and DMARC write it. */
function tags(text: string): Record<string, string> {
  const pairs = text.split(';').flatMap((part) => {
    const [, name, value] = /^\s*(\w+)\s*=\s*(.*?)\s*$/s.exec(part) ?? [];
    return name === undefined || value === undefined ? [] : [[name, value] as const];
  });
  return Object.fromEntries(pairs);
}
