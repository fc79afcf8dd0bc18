import * as v from 'valibot';
import { FACTS, group, list, type Of, plainWords, plural, wordsWith } from '../ui/shape.ts';

/** The packages and their prices. */
export const packages: Of<typeof shape.packages> = {
  /** The heading above the packages. {Count} is how many there are, as a word. */
  heading: '{Count} blueprints. One price each.',
  /** {Count} for two, three, four and five packages. */
  counts: ['Two', 'Three', 'Four', 'Five'],
  /** The text below it. {currencyName} is the currency of business.ts in words: Canadian dollars. */
  lead: 'A one-time setup in {currencyName}, with no hidden fees. Each box is a week, each mark an hour.',
  /** {stage} and {of} are filled in: "Sheet 1 of 3". */
  sheet: 'Sheet {stage} of {of}',
  /** The label on the package that stands out. */
  popularLabel: 'Most popular',
  /** The words before the weeks and the hours, which are filled in from each package. */
  timelineLabel: 'Timeline',
  timeline: { one: '{weeks} week', other: '{weeks} weeks' },
  effortLabel: 'Total effort',
  effort: { one: 'about {hours} hour', other: 'about {hours} hours' },
  /** The name of the list of what's included, for screen readers. */
  includedLabel: 'Included',
  /** Above the outcome. */
  outcomeLabel: 'What you end up with',
  /** The link at the end of each package. */
  ask: 'Ask about this blueprint',
  /**
   * Two to five packages, each shown as one sheet of the drawing set. To add one, copy another from its { to its },
   * including the comma.
   *
   * - stage: 1, 2, 3 and so on, in page order
   * - price: a whole number, without a sign or comma: 1499 shows as $1,499 CAD. Prices are set only here, and their
   *   currency in business.ts.
   * - priceCaption: the small line under the price
   * - title: the name of the package
   * - timeline: how long it takes, in weeks; drawn as boxes
   * - effort: in hours, for the whole setup; drawn as marks on a ruler
   * - purpose: what it's for, in one sentence
   * - features: what's included, as many lines as you like
   * - outcome: what the client has at the end
   * - popular: whether it stands out: true for one package at most, false for the others
   * - delay: how much later than the first one it appears when scrolled into view, in milliseconds
   */
  items: [
    {
      stage: 1,
      price: 1499,
      priceCaption: 'One-time setup',
      title: 'The Foundation Blueprint',
      timeline: 4,
      effort: 8,
      purpose: 'See the work, the stock and your key numbers (KPIs) every day.',
      features: ['Workflow mapping', 'Inventory tracking', 'Reorder and KPI dashboards', '1:1 coaching'],
      outcome: 'You know what you have, what to reorder, and where work waits.',
      popular: false,
      delay: 0,
    },
    {
      stage: 2,
      price: 2499,
      priceCaption: 'One-time setup',
      title: 'The Optimization Blueprint',
      timeline: 8,
      effort: 16,
      purpose: 'Take the bottleneck out, and keep it out.',
      features: ['Workflow redesign', 'Visual dashboards', 'Supplier and order logs', 'Weekly reviews'],
      outcome: 'Orders move through without you pushing each one.',
      popular: true,
      delay: 100,
    },
    {
      stage: 3,
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
      outcome: 'You lead from live numbers. The repeat work runs on its own.',
      popular: false,
      delay: 200,
    },
  ],
};

/* For the build: what it asks of the words above. Nothing below shows on the page. */
const words = wordsWith(...FACTS);
const whole = v.pipe(
  v.number('must be a plain number such as 1499, without quotes, sign or comma'),
  v.integer('must be a whole number'),
  v.minValue(1, 'must be at least 1'),
);
const item = group({
  stage: whole,
  price: whole,
  priceCaption: words,
  title: words,
  timeline: whole,
  effort: whole,
  purpose: words,
  features: list(words, 1),
  outcome: words,
  popular: v.boolean('must be true or false, without quotes'),
  delay: v.pipe(v.number('must be a plain number of milliseconds'), v.minValue(0, 'must not be below 0')),
});
export const shape = {
  packages: group({
    heading: words,
    counts: list(plainWords, 4, 4),
    lead: words,
    sheet: wordsWith('stage', 'of'),
    popularLabel: words,
    timelineLabel: words,
    timeline: plural(wordsWith('weeks')),
    effortLabel: words,
    effort: plural(wordsWith('hours')),
    includedLabel: words,
    outcomeLabel: words,
    ask: words,
    items: v.pipe(
      list(item, 2, 5),
      v.check(
        (items) => items.filter(({ popular }) => popular).length < 2,
        'can have one popular package at most',
      ),
      v.check(
        (items) => items.every(({ stage }, at) => stage === at + 1),
        'must have the stages 1, 2, 3 and so on, in this order',
      ),
    ),
  }),
};
