import { isExample } from '../../build/placeholders.ts';
import { about, type Check, type Finding } from './check.ts';
import { asked, domainOf, existing, openResolver } from './dns.ts';

const subject = about('messages', 'inbox', 'Your inbox');

/** Whether the owner's own address can get mail at all. */
export const inbox: Check = {
  name: 'inbox',
  about: subject,
  needs: ['CONTACT_EMAIL'],
  async run({ settings: { contactEmail }, dnsServer }, signal): Promise<Finding[]> {
    const domain = domainOf(contactEmail);
    if (isExample(domain)) {
      const todo = 'Set CONTACT_EMAIL in .env to your own address.';
      return [subject.look(`${contactEmail} is an example; nothing reaches you there.`, todo)];
    }
    const resolver = openResolver(dnsServer, signal);
    return [
      await asked(subject, domain, async () => {
        const records = await existing(resolver.resolveMx(domain));
        const todo = `Check CONTACT_EMAIL for a typing mistake, and the MX records of ${domain}.`;
        if (!records)
          return subject.wrong(`There is no domain ${domain}, so nothing reaches ${contactEmail}.`, todo);
        const [first] = records.toSorted((a, b) => a.priority - b.priority);
        if (!first) {
          const ways = [existing(resolver.resolve4(domain)), existing(resolver.resolve6(domain))];
          // Without MX records mails are tried at the domain's own address (RFC 5321, 5.1).
          return (await Promise.all(ways)).some((addresses) => addresses?.length)
            ? subject.look(`${domain} names no mail server; mails are tried at its web address.`, todo)
            : subject.wrong(`${domain} has no mail server, so nothing reaches ${contactEmail}.`, todo);
        }
        // An empty host says "no mail here" (RFC 7505).
        return /^\.?$/.test(first.exchange)
          ? subject.wrong(`${domain} takes no mail at all, so nothing reaches ${contactEmail}.`, todo)
          : subject.ok(`Mail for ${domain} goes to ${first.exchange}.`);
      }),
    ];
  },
};
