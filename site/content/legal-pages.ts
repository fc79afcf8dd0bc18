import * as v from 'valibot';
import {
  fieldOf,
  flag,
  group,
  list,
  named,
  type Of,
  plain,
  plural,
  words,
  wordsAnd,
  wordsWith,
} from '../ui/shape.ts';

// Two separate pages, off until the owner turns them on. What only she knows is in [brackets].

export const privacy: Of<typeof shape.privacy> = {
  on: false,
  heading: 'Privacy policy',
  description: 'What {business} keeps about people who write, why, for how long, and what you can ask for.',
  updated: 'In effect since [date]',
  sections: [
    {
      heading: 'Who’s in charge',
      paragraphs: [
        '[This is a draft, not legal advice. Have a lawyer check it, then delete this paragraph.]',
        '{business} is run by [your full name], in {country}. I’m the person in charge of personal information. Write to {email}, or to [your postal address].',
        '[If you offer your work to people in the European Union: your representative there, with an address. If not, delete this paragraph.]',
      ],
    },
    {
      heading: 'What I keep',
      paragraphs: [
        'When you send the form: your name, your email address and your message, when it arrived and when I answered, and how many other messages came from your connection in the hour before. Nothing is sent before you press the button. Until then, what you type stays in your browser.',
        'To stop floods of messages, your network address is remembered for two hours at most. A program on this site’s own systems looks for signs of spam. It never refuses a message, and I see what it holds back.',
        'This website sets no cookies, tracks nobody, and loads nothing from other companies.',
      ],
    },
    {
      heading: 'Why I may use it',
      paragraphs: [
        'I use what you send to answer you, and for the work that we agree on. I don’t sell it, and I don’t send newsletters. By sending the form, you consent to this. You can withdraw your consent at any time: write to {email}.',
        'If the GDPR applies to you: I use your message because you ask me for something (Article 6(1)(b)), and network addresses because I have a legitimate interest in a form that works (Article 6(1)(f)).',
      ],
    },
    {
      heading: 'How long I keep it',
      paragraphs: [
        'The website’s copy of your message: {kept}. The email with your message, in my mailbox: [how long you keep emails]. Backups: [how long you keep backups].',
      ],
    },
    {
      heading: 'Who else handles it',
      paragraphs: [
        'Your message is stored {stored}, in [province or country]. It’s emailed to me through {mail}, which handles it in [country]. The website runs at [hosting company], which may keep logs of its own, with network addresses. They handle it only for me, as our agreements say.',
        'So your message may be handled outside your province or country, under the laws there. Before personal information leaves Quebec, I assess whether it’s well protected where it goes, as Quebec’s Law 25 requires. The European Commission has decided that Canada’s law for businesses protects personal data well enough; for other countries, I rely on [such as standard contractual clauses].',
      ],
    },
    {
      heading: 'What you can ask for',
      paragraphs: [
        'You can ask me what I have about you and how it’s been used, for a copy to take elsewhere, and to correct or erase it. In the European Union, you can also ask me to limit how I use it, or object to that. Write to {email}. I answer within 30 days, free of charge.',
      ],
    },
    {
      heading: 'If something goes wrong',
      paragraphs: [
        'Access is limited to me and the companies named above. If personal information is lost, stolen or seen by somebody who shouldn’t see it, I make a record and keep it for at least 24 months, or five years where Quebec’s law applies. If it could do you real harm, I tell you and the authorities as soon as I can; in the European Union, the authority within 72 hours.',
      ],
    },
    {
      heading: 'If you’re not satisfied',
      paragraphs: [
        'Please write to me first: {email}. You can also complain to the Office of the Privacy Commissioner of Canada (priv.gc.ca), in Quebec to the Commission d’accès à l’information (cai.gouv.qc.ca), in Alberta and British Columbia to the commissioner there, and in the European Union to the data protection authority where you live.',
      ],
    },
  ],
};

export const terms: Of<typeof shape.terms> = {
  on: false,
  heading: 'Terms and conditions',
  description: 'How {business} and its clients work together: offers, payment, ownership and liability.',
  updated: 'In effect since [date]',
  sections: [
    {
      heading: 'Who’s who',
      paragraphs: [
        '[This is a draft, not legal advice. Have a lawyer check it, then delete this paragraph.]',
        '{business} is [your full name or company], at [your postal address]. “I” is that business, and “you” are its client, a business too. Write to {email}.',
      ],
    },
    {
      heading: 'What we agree on',
      paragraphs: [
        'This website isn’t a binding offer. You get a written proposal with the work, the price and the timeline. We have an agreement once you accept it in writing. If the proposal and these terms differ, the proposal prevails.',
      ],
    },
    {
      heading: 'Prices and payment',
      paragraphs: [
        'Prices are in {currencyName}, [plus taxes, or taxes included]. You pay [such as half at the start and half at the end], within [number] days of the invoice. There are no fees beyond those in the proposal.',
      ],
    },
    {
      heading: 'Changes and cancelling',
      paragraphs: [
        'If the work grows, we agree on the price in writing first. Either of us can end the work with [number] days’ notice. You then pay for the work done so far, and you get it.',
      ],
    },
    {
      heading: 'What’s yours',
      paragraphs: [
        'Once it’s paid for, everything I make for you is yours: sheets, apps, procedures and dashboards. I may use what I’ve learned, but nothing that’s confidential. I keep what I see of your business to myself, even after we’re done.',
      ],
    },
    {
      heading: 'Who’s liable for what',
      paragraphs: [
        'I do the work with care. I don’t promise a particular result, since it depends on your business, too. As far as the law allows, I’m liable for no more than what you’ve paid me for the work, and not for lost profit. Nothing here limits what the law doesn’t let us limit.',
      ],
    },
    {
      heading: 'Law and disputes',
      paragraphs: [
        'We talk first. If that doesn’t help, the laws of [your province] apply, and its courts decide.',
      ],
    },
  ],
};

export const handling: Of<typeof shape.handling> = {
  kept: { one: '{days} day', other: '{days} days' },
  keptUntilAsked: 'until you ask me to erase it',
  storedAt: 'in a database at {host}',
  storedHere: 'on this website’s server',
  mailAt: 'my mail provider ({host})',
  mailUnnamed: 'my mail provider',
};

const text = wordsAnd('business', 'email', 'kept', 'stored', 'mail');
const section = group({
  heading: text(),
  paragraphs: list(text(), 1)(
    'Paragraphs',
    '{kept} is how long messages are kept, {stored} where, and {mail} who delivers your email, all from your settings.',
  ),
});
const fields = group({
  on: flag('Show this page', 'Fill in everything in [brackets] first.'),
  heading: text(),
  description: text('Text in search results'),
  updated: text('In effect since'),
  sections: list(section, 1)('Sections'),
});

function blanks({ heading, description, updated, sections }: Of<typeof fields>): string[] {
  const within = sections.flatMap((each) => [each.heading, ...each.paragraphs]);
  return [heading, description, updated, ...within].join('\n').match(/\[[^\]]*\]/g) ?? [];
}

const page = v.pipe(
  fields,
  v.forward(
    v.check(
      (page) => !page.on || blanks(page).length === 0,
      ({ input }) => `can’t be shown until these are filled in: ${blanks(input).join(', ')}`,
    ),
    ['on'],
  ),
);
const about = 'A separate page, linked from the bottom.';
export const shape = {
  privacy: fieldOf(page)('Privacy policy', about),
  terms: fieldOf(page)('Terms and conditions', about),
  handling: named('In the privacy policy', 'What your settings say, in words.', {
    kept: plural(wordsWith('days'))('How long messages are kept'),
    keptUntilAsked: plain('How long, without a limit'),
    storedAt: wordsWith('host')('Where messages are stored'),
    storedHere: plain('Where, without a database elsewhere'),
    mailAt: wordsWith('host')('Who delivers your email'),
    mailUnnamed: words('Who, if the settings don’t say'),
  }),
};
