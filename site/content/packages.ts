/** One priced package, shown as one sheet of the drawing set. */
export interface Package {
  /** 1, 2, 3: the order of the sheets. */
  stage: number;
  /** Whole Canadian dollars, without sign or comma: 1499 is shown as $1,499 CAD. This is the one place to change a price. */
  price: number;
  /** The small line under the price. */
  priceCaption: string;
  /** The name of the package. */
  title: string;
  /** How long it takes, in weeks; also the length of the bar. */
  timeline: number;
  /** The effort, in hours. */
  effort: number;
  /** What it is for, in one sentence. */
  purpose: string;
  /** What is included. */
  features: string[];
  /** What you have at the end. */
  outcome: string;
  /** true for the one package that stands out. */
  popular: boolean;
  /** How much later than the first one it appears when scrolled into view, in milliseconds. */
  delay: number;
}

export const packages: {
  /** The line above the packages. */
  heading: string;
  /** The sentences below it. */
  lead: string;
  /** {stage} and {of} are filled in: "Sheet 1 of 3". */
  sheet: string;
  /** The mark on the one that stands out. */
  popularLabel: string;
  /** {weeks} and {hours} are filled in from each package. */
  timeline: string;
  /** The word before the hours. */
  effortLabel: string;
  effort: string;
  /** Stands for the list of what is included, for people who do not see it. */
  includedLabel: string;
  /** Stands above the outcome. */
  outcomeLabel: string;
  /** The link at the end of each sheet. */
  ask: string;
  items: Package[];
} = {
  heading: 'Three blueprints. One price each.',
  lead: 'A one-time setup, priced in Canadian dollars, with no hidden fees. One box is one week, on all three.',
  sheet: 'Sheet {stage} of {of}',
  popularLabel: 'Most popular',
  timeline: '{weeks} weeks',
  effortLabel: 'Effort',
  effort: 'about {hours} hours',
  includedLabel: 'Included',
  outcomeLabel: 'What you end up with',
  ask: 'Ask about this blueprint',
  items: [
    {
      stage: 1,
      price: 1499,
      priceCaption: 'One-time setup, no hidden fees',
      title: 'The Foundation Blueprint',
      timeline: 4,
      effort: 8,
      purpose: 'See the work and the stock as they are, every day.',
      features: ['Workflow mapping', 'Inventory tracking', 'Reorder and KPI dashboards', '1:1 coaching'],
      outcome: 'You know what you have, what to reorder, and where work waits.',
      popular: false,
      delay: 0,
    },
    {
      stage: 2,
      price: 2499,
      priceCaption: 'One-time setup, no hidden fees',
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
      priceCaption: 'One-time setup, no hidden fees',
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
