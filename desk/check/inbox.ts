import { isExample } from '../../publish/placeholders.ts';
import { about, type Check, type Finding } from './check.ts';
import { domainOf, existing, openResolver, orUnanswered } from './dns.ts';

const subject = about('messages', 'inbox', 'Your inbox');

/** Whether the owner's address can get mail at all. */
export const inbox: Check = {
  about: subject,
  needs: ['CONTACT_EMAIL'],
  async run({ settings: { contactEmail }, dnsServer }, signal) {
    const domain = domainOf(contactEmail);
    if (isExample(domain)) {
      const todo = 'Set CONTACT_EMAIL in .env to your own address.';
      return [subject.look(`${contactEmail} is an example; nothing reaches you there.`, todo)];
    }
    const resolver = openResolver(dnsServer, signal);
    return [await orUnanswered(subject, domain, checkInbox(contactEmail, resolver))];
  },
};

async function checkInbox(address: string, resolver: ReturnType<typeof openResolver>): Promise<Finding> {
  const domain = domainOf(address);
  const todo = `Check CONTACT_EMAIL for a typo, and the MX records of ${domain}.`;
  const lost = (why: string) => subject.wrong(`${why}, so nothing reaches ${address}.`, todo);
  const records = await existing(resolver.resolveMx(domain));
  if (!records) return lost(`There’s no domain ${domain}`);
  const [first] = records.toSorted((a, b) => a.priority - b.priority);
  // An empty host means "no mail here" (RFC 7505).
  if (first)
    return /^\.?$/.test(first.exchange)
      ? lost(`${domain} accepts no mail`)
      : subject.ok(`Mail for ${domain} goes to ${first.exchange}.`);
  // Without MX records, mail goes to the domain's own address (RFC 5321, 5.1).
  const addresses = [existing(resolver.resolve4(domain)), existing(resolver.resolve6(domain))];
  return (await Promise.all(addresses)).some((found) => found?.length)
    ? subject.look(`${domain} has no mail server, so mails are sent to its web server.`, todo)
    : lost(`${domain} has no mail server`);
}
