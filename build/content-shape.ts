import * as v from 'valibot';

const words = v.pipe(
  v.string('must be words between quotes'),
  v.check((text) => text.trim() !== '', 'is empty'),
);
const optionalWords = v.string('must be words between quotes (empty quotes are fine)');
const whole = v.pipe(
  v.number('must be a plain number such as 1499, without quotes, sign or comma'),
  v.integer('must be a whole number'),
  v.minValue(1, 'must be at least 1'),
);
/** The parts of the page that links lead to. */
const PARTS = [
  'hero-banner',
  'process-overview',
  'service-pillars',
  'blueprint-journey',
  'about-founder',
  'work-together',
  'lets-map-your-blueprint',
] as const;
const id = v.picklist(PARTS, `must be one of the parts of the page: ${PARTS.join(', ')}`);
const language = v.pipe(
  words,
  v.check((text) => isLanguage(text), 'must be a language such as en-CA'),
);
/** The table in the corner of a drawing. */
const rows = v.array(v.strictTuple([words, words]));
const link = v.strictObject({ label: words, id });
const address = v.strictObject({
  label: words,
  href: v.pipe(
    words,
    v.regex(
      /^(#|https?:\/\/\S+|\/\S*|mailto:\S+)$/,
      'must be a whole address that begins with https://, or "#" for none',
    ),
  ),
});

function list<Item extends v.GenericSchema>(item: Item, count: number) {
  return v.pipe(v.array(item), v.length(count, `must have exactly ${count} entries`));
}

function drawn<Name extends string>(names: readonly Name[]) {
  const known = `must be one of the drawings: ${names.join(', ')}`;
  return list(v.strictObject({ drawing: v.picklist(names, known), title: words, text: words }), names.length);
}

const packageFields = v.strictObject({
  stage: whole,
  price: whole,
  priceCaption: words,
  title: words,
  timeline: whole,
  effort: whole,
  purpose: words,
  features: v.pipe(v.array(words), v.minLength(1, 'must list at least one thing')),
  outcome: words,
  popular: v.boolean('must be true or false, without quotes'),
  delay: v.pipe(v.number('must be a plain number of milliseconds'), v.minValue(0, 'must not be below 0')),
});

/** What each file of the content must export: file name → export → shape. */
export const shapes: Record<string, Record<string, v.GenericSchema>> = {
  'business.ts': {
    brand: v.strictObject({ name: words }),
    replyTime: words,
    business: v.strictObject({
      country: words,
      countryCode: v.pipe(words, v.regex(/^[A-Z]{2}$/, 'must be two capital letters, such as CA')),
      serves: words,
      currency: v.pipe(words, v.regex(/^[A-Z]{3}$/, 'must be three capital letters, such as CAD')),
    }),
  },
  'site.ts': { site: v.strictObject({ language, title: words, description: words }) },
  'hero.ts': {
    hero: v.strictObject({
      kicker: words,
      headline: words,
      lead: words,
      seeHow: words,
      facts: v.array(words),
      drawing: words,
      titleBlock: rows,
    }),
  },
  'problems.ts': {
    problems: v.strictObject({
      heading: words,
      lead: words,
      items: drawn(['spreadsheet', 'stock', 'accountability', 'errors', 'disconnect']),
    }),
  },
  'solution.ts': {
    solution: v.strictObject({
      heading: words,
      lead: words,
      columns: list(words, 3),
      items: list(v.strictObject({ title: words, text: words }), 5),
    }),
  },
  'process.ts': {
    process: v.strictObject({
      heading: words,
      lead: words,
      steps: drawn(['diagnose', 'redesign', 'deliver']),
    }),
  },
  'pillars.ts': {
    pillars: v.strictObject({ heading: words, items: drawn(['design', 'visibility', 'enablement']) }),
  },
  'packages.ts': {
    packages: v.strictObject({
      heading: words,
      lead: words,
      sheet: words,
      popularLabel: words,
      timeline: words,
      effortLabel: words,
      effort: words,
      includedLabel: words,
      outcomeLabel: words,
      ask: words,
      items: v.pipe(
        list(packageFields, 3),
        v.check(
          (items) => items.filter(({ popular }) => popular).length < 2,
          'can have one popular package at most',
        ),
      ),
    }),
  },
  'promises.ts': {
    promises: v.strictObject({
      heading: words,
      items: list(v.strictObject({ title: words, text: words }), 4),
    }),
  },
  'founder.ts': {
    founder: v.strictObject({
      name: optionalWords,
      unnamed: words,
      heading: words,
      bio: v.pipe(v.array(words), v.minLength(1, 'must have at least one paragraph')),
      photo: words,
      portrait: words,
      titleBlock: rows,
    }),
  },
  'working-together.ts': {
    workingTogether: v.strictObject({
      heading: words,
      steps: drawn(['assess', 'redesign', 'implement', 'stabilize']),
    }),
  },
  'questions.ts': {
    questions: v.strictObject({
      heading: words,
      items: v.array(v.strictObject({ question: words, answer: words })),
    }),
  },
  'contact.ts': {
    contact: v.strictObject({
      heading: words,
      lead: words,
      emailLabel: words,
      place: words,
      privacy: v.pipe(
        words,
        v.regex(/^[^[\]]*\[[^[\]]+\][^[\]]*$/, 'must have one part in [brackets], which becomes the link'),
      ),
      retention: v.pipe(words, v.includes('{days}', 'must hold {days}')),
    }),
  },
  'contact-form.ts': {
    contactForm: v.strictObject({
      sheet: words,
      statusLabel: words,
      status: v.strictObject({ draft: words, sending: words, sent: words, failed: words }),
      fields: v.strictObject({
        name: v.strictObject({ label: words }),
        email: v.strictObject({ label: words }),
        message: v.strictObject({ label: words, hint: words }),
      }),
      button: words,
      sending: words,
      promise: words,
      trapLabel: words,
    }),
    outcomes: v.strictObject({
      failed: v.strictObject({ title: words, description: words }),
      refused: v.strictObject({ title: words }),
      sent: v.strictObject({ title: words, description: words }),
    }),
    notifications: v.strictObject({ label: words, region: words, close: words }),
  },
  'navigation.ts': {
    navigation: v.strictObject({
      label: words,
      links: v.array(link),
      callToAction: v.strictObject({
        label: words,
        id: v.literal('lets-map-your-blueprint', 'must stay lets-map-your-blueprint'),
      }),
      menu: v.strictObject({ button: words, open: words, close: words }),
      skipLink: words,
    }),
  },
  'scroll-to-top.ts': { scrollToTop: v.strictObject({ label: words }) },
  'footer.ts': {
    footer: v.strictObject({
      linksLabel: words,
      links: v.array(link),
      place: words,
      legal: v.strictObject({ terms: address, privacy: address }),
    }),
  },
  'error-pages.ts': {
    notFound: v.strictObject({ title: words, heading: words, text: words, back: words, drawing: words }),
    notSent: v.strictObject({ title: words, heading: words, text: words }),
  },
};

function isLanguage(text: string): boolean {
  try {
    return Intl.getCanonicalLocales(text).length === 1;
  } catch {
    return false;
  }
}

const FACTS = ['country', 'currency', 'reply'];
export const FIGURES = [...FACTS, 'from', 'prices', 'weeks', 'hours'];

/** The {places} that the page fills in, by the file they may stand in; in the files of sections, all figures. */
export const PLACES: Record<string, readonly string[]> = {
  'business.ts': [],
  'navigation.ts': [],
  'scroll-to-top.ts': [],
  'packages.ts': [...FACTS, 'stage', 'of', 'weeks', 'hours'],
  'founder.ts': [...FIGURES, 'name'],
  'contact.ts': [...FIGURES, 'days'],
  'contact-form.ts': ['reply', 'message', 'hotkey'],
};
