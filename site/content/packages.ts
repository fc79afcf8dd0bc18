import * as v from 'valibot';
import {
  count,
  FACTS,
  fieldOf,
  flag,
  group,
  list,
  named,
  type Of,
  plain,
  plural,
  wordsOrNone,
  wordsWith,
} from '../ui/shape.ts';

export const packages: Of<typeof shape.packages> = {
  heading: '{Count} blueprints. One price each.',
  counts: ['Two', 'Three', 'Four', 'Five'],
  lead: 'A one-time setup in {currencyName}, with no hidden fees. Each box is a week, each mark an hour.',
  effortMeaning: '',
  sheet: 'Sheet {stage} of {of}',
  popularLabel: 'Most popular',
  timelineLabel: 'Timeline',
  timeline: { one: '{weeks} week', other: '{weeks} weeks' },
  effortLabel: 'Total effort',
  effort: { one: 'about {hours} hour', other: 'about {hours} hours' },
  includedLabel: 'Included',
  outcomeLabel: 'What you end up with',
  ask: 'Ask about this blueprint',
  items: [
    {
      price: 1499,
      priceCaption: 'One-time setup',
      title: 'The Foundation Blueprint',
      timeline: 4,
      effort: 8,
      purpose: 'See stock, jobs and key numbers (KPIs) every day.',
      features: ['Workflow mapping', 'Inventory tracking', 'Reorder and KPI dashboards', '1:1 coaching'],
      outcome: 'You know what you have, what to reorder, and where work waits.',
      popular: false,
    },
    {
      price: 2499,
      priceCaption: 'One-time setup',
      title: 'The Optimization Blueprint',
      timeline: 8,
      effort: 16,
      purpose: 'Take the bottleneck out, and keep it out.',
      features: ['Workflow redesign', 'Visual dashboards', 'Supplier and order logs', 'Weekly reviews'],
      outcome: 'Orders move through without you pushing each one.',
      popular: true,
    },
    {
      price: 4999,
      priceCaption: 'One-time setup',
      title: 'The Automation Blueprint',
      timeline: 16,
      effort: 24,
      purpose: 'Let the routine run by itself.',
      features: [
        'Advanced re-engineering',
        'Automations',
        'Real-time leadership dashboards',
        'Priority support',
      ],
      outcome: 'You lead from live numbers that nobody has to type.',
      popular: false,
    },
  ],
};

const words = wordsWith(...FACTS);
const item = group({
  price: count('currency', 9_999_999, 1499)('Price'),
  priceCaption: words('Small line under the price'),
  title: words('Name'),
  timeline: count('weeks', 999, 4)('How long it takes', 'Drawn as boxes.'),
  effort: count('hours', 999, 8)('Effort', 'For the whole setup; drawn as marks on a ruler.'),
  purpose: words('What it’s for', 'In one sentence.'),
  features: list(words(), 1)('What’s included'),
  outcome: words('What the client has at the end'),
  popular: flag('Most popular', 'It stands out. Only one package can.'),
});
export const shape = {
  packages: named('Packages and prices', {
    heading: words('Heading', '{Count} is how many packages there are, as a word.'),
    counts: list(plain(), 4, 4)('The words for two to five', 'They replace {Count}.'),
    lead: words('Text below the heading'),
    effortMeaning: wordsOrNone(
      'Whose hours the effort counts',
      'Such as whether they’re yours or the client’s, and for what. Shown below the text above, unless it’s empty.',
    ),
    sheet: wordsWith('stage', 'of')('Sheet number', 'Such as “Sheet 1 of 3”.'),
    popularLabel: words('Label on the most popular', 'To move it, press another package’s price.'),
    timelineLabel: words('Before the weeks'),
    timeline: plural(wordsWith('weeks'))('Weeks'),
    effortLabel: words('Before the hours'),
    effort: plural(wordsWith('hours'))('Hours'),
    includedLabel: words('Name of the list of what’s included', 'For screen readers.'),
    outcomeLabel: words('Above what the client has at the end'),
    ask: words('Link at the end of each package'),
    items: fieldOf(
      v.pipe(
        list(item, 2, 5)(),
        v.check(
          (items) => items.filter(({ popular }) => popular).length < 2,
          'can have one popular package at most',
        ),
      ),
    )('Packages', 'Two to five, each shown as one sheet of the drawing set.'),
  }),
};
