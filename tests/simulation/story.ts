import fc from 'fast-check';
import { LEAD, type Plan, SAME } from './facts.ts';
import { BEHAVIOURS, type BehaviourName } from './mail-server.ts';
import { LANDINGS, MAILBOX_BEHAVIOURS, type MailboxBehaviour } from './mailbox.ts';
import type { MailProgramDeed } from './mailbox-promises.ts';
import { openSite, type Site } from './site.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/**
 * Three kinds of stories. A `dense` one packs trouble into some hours, in any order. So does a `mailbox` one, in which the
 * site looks into the owner's mailbox as well. In a `long` one, an ordinary business goes on for weeks: silence, a few
 * visitors, an owner who answers some, and now and then trouble that lasts for days.
 */
export const KINDS = ['dense', 'mailbox', 'long'] as const;
export type Kind = (typeof KINDS)[number];
export const MOST_STEPS: Record<Kind, number> = { dense: 60, mailbox: 60, long: 300 };

type Way = Parameters<Site['visit']>[1];

class Step implements fc.AsyncCommand<object, Site> {
  readonly text: string;
  readonly deed: (site: Site) => unknown;

  constructor(text: string, deed: (site: Site) => unknown) {
    this.text = text;
    this.deed = deed;
  }

  check(): boolean {
    return true;
  }

  async run(_model: object, site: Site): Promise<void> {
    await this.deed(site);
    await site.world.settle();
    site.checkAll();
  }

  toString(): string {
    return this.text;
  }
}

/** Two servers are enough for every conflict; a third comes now and then. */
const slot = fc.constantFrom(0, 0, 0, 0, 1, 1, 1, 2);
const visitor = fc.nat(999);
/** Mostly the time that something takes; a day in which nothing happens finds little. */
const duration = fc.oneof(
  { weight: 60, arbitrary: fc.constantFrom(SECOND, 5 * SECOND, 15 * SECOND, 40 * SECOND, 100 * SECOND) },
  { weight: 32, arbitrary: fc.constantFrom(3 * MINUTE, 12 * MINUTE, 20 * MINUTE) },
  { weight: 3, arbitrary: fc.constantFrom(HOUR, 3 * HOUR) },
  { weight: 1, arbitrary: fc.constant(DAY) },
);
const addressOf = (number: number) => `198.51.${(number >> 8) % 256}.${number % 256}`;
const way = fc.constantFrom<Way>('there and back', 'there and back', 'lost before', 'lost after');
const words = fc.constantFrom(LEAD, LEAD, LEAD, LEAD, 'unmailable', SAME);
/** Held back as suspected spam. */
const SPAM = 'Best online casino: free spins – click here now http://a.test http://b.test';

function span(ms: number): string {
  if (ms % DAY === 0) return `${ms / DAY} d`;
  if (ms % HOUR === 0) return `${ms / HOUR} h`;
  return ms % MINUTE === 0 ? `${ms / MINUTE} min` : `${ms / SECOND} s`;
}

const sends = (words: fc.Arbitrary<string>, way: fc.Arbitrary<Way>) =>
  fc.record({ way, words, keyed: fc.boolean() }).map(
    ({ way, words, keyed }) =>
      new Step(`a visitor sends ${words}${keyed ? ' with a key' : ''} – ${way}`, (site) => {
        const number = site.visitors.length;
        const isSame = words === SAME;
        return site.visit(
          {
            words: isSame ? words : `${words} ${number}`,
            email: isSame ? 'same@example.org' : `visitor-${number}@example.org`,
            address: isSame ? '192.0.2.2' : addressOf(number),
            key: keyed ? (isSame ? 'same' : `key-${number}`) : undefined,
          },
          way,
        );
      }),
  );
const send = sends(words, way);

/** What the page does after a failure, and people who press twice. */
const again = fc.tuple(visitor, way).map(
  ([pick, way]) =>
    new Step(`visitor ${pick} sends the same again – ${way}`, async (site) => {
      const one = site.visitors[pick % Math.max(1, site.visitors.length)];
      if (one) await site.again(one, way);
    }),
);

const lead = (number: number) => ({
  words: `${LEAD} ${number}`,
  email: `visitor-${number}@example.org`,
  address: addressOf(number),
  key: `key-${number}`,
});

const robot = fc.constant(
  new Step('a robot sends somebody’s words before they do', async (site) => {
    const person = { ...lead(site.visitors.length), key: undefined };
    await site.visit({ ...person, trap: true }, 'there and back');
    await site.visit(person, 'there and back');
  }),
);
const otherWords = visitor.map(
  (pick) =>
    new Step(`somebody uses the key of visitor ${pick} for other words`, async (site) => {
      const key = site.visitors[pick % Math.max(1, site.visitors.length)]?.key;
      await site.visit({ ...lead(site.visitors.length), key }, 'there and back');
    }),
);

const many = fc.constantFrom(3, 12, 24).map(
  (count) =>
    new Step(`${count} visitors send at once`, async (site) => {
      for (let index = 0; index < count; index += 1) {
        await site.visit(lead(site.visitors.length), 'there and back');
      }
    }),
);

const pass = duration.map((ms) => new Step(`${span(ms)} pass`, (site) => site.advance(ms)));

const mailServer = fc
  .oneof(
    { weight: 1, arbitrary: fc.constant('any' as const) },
    { weight: 2, arbitrary: fc.constantFrom(...(Object.keys(BEHAVIOURS) as BehaviourName[])) },
  )
  .map((name) => new Step(`the mail server is: ${name}`, (site) => site.mailServer(name)));
const mailServerBack = fc.constant(new Step('the mail server is: fine', (site) => site.mailServer('fine')));

const outage = fc.constant(
  new Step('the mail server is away for 2 h', (site) => {
    site.mailServer('nobody there');
    return site.advance(2 * HOUR);
  }),
);

/** After so many events, which may be in the middle of anything. */
const crash = fc.tuple(slot, fc.nat(12)).map(
  ([which, events]) =>
    new Step(`server ${which} is killed after ${events} events`, async (site) => {
      for (let count = 0; count < events; count += 1) await site.world.step(site.world.now() + MINUTE);
      site.crash(which);
    }),
);
const stop = slot.map((which) => new Step(`server ${which} is stopped`, (site) => site.stop(which)));
const start = slot.map((which) => new Step(`server ${which} is started`, (site) => site.start(which)));
const freeze = fc
  .tuple(slot, fc.constantFrom(30 * SECOND, 100 * SECOND, 3 * MINUTE, HOUR))
  .map(
    ([which, ms]) => new Step(`server ${which} is frozen for ${span(ms)}`, (site) => site.freeze(which, ms)),
  );
/** Another one takes the mail when the lease is over, and has it in hand when the first one thaws. */
const freezeSender = fc
  .tuple(
    fc.constantFrom('endless' as const, 'silent' as const, 'slow' as const),
    fc.integer({ min: 121, max: 140 }),
  )
  .map(
    ([name, seconds]) =>
      new Step(`a server is frozen for ${seconds} s with a mail in hand – ${name}`, async (site) => {
        await site.start(0);
        await site.start(1);
        site.mailServer(name);
        await site.visit(lead(site.visitors.length), 'there and back');
        await site.advance(SECOND);
        site.freezeSender(seconds * SECOND);
        await site.advance((seconds + 30) * SECOND);
      }),
  );
const webhook = fc
  .boolean()
  .map((works) => new Step(`the webhook ${works ? 'works' : "doesn't work"}`, (site) => site.webhook(works)));
const disk = fc
  .boolean()
  .map((full) => new Step(full ? 'the disk is full' : 'the disk has room', (site) => site.disk(full)));
const clock = fc
  .constantFrom(-10 * 365 * DAY, -DAY, -HOUR, -MINUTE, 0, 0, 0, MINUTE, HOUR, DAY, 10 * 365 * DAY)
  .map(
    (by) =>
      new Step(by === 0 ? 'the clock is set right' : `the clock is set by ${span(by)}`, (site) =>
        site.setClock(by),
      ),
  );
type Deed = Parameters<Site['owner']>[0];
const does = (...deeds: Deed[]) =>
  fc
    .tuple(fc.constantFrom(...deeds), visitor)
    .map(([deed, pick]) => new Step(`the owner: ${deed} ${pick}`, (site) => site.owner(deed, pick)));
const owner = does('requeue', 'again', 'spam', 'not spam', 'answered', 'erase');

/** How often each kind of step comes. */
const DENSE = [
  { weight: 12, arbitrary: send },
  { weight: 6, arbitrary: again },
  { weight: 1, arbitrary: robot },
  { weight: 1, arbitrary: otherWords },
  { weight: 2, arbitrary: many },
  { weight: 10, arbitrary: pass },
  { weight: 5, arbitrary: mailServer },
  { weight: 4, arbitrary: mailServerBack },
  { weight: 1, arbitrary: outage },
  { weight: 2, arbitrary: crash },
  { weight: 1, arbitrary: stop },
  { weight: 4, arbitrary: start },
  { weight: 2, arbitrary: freeze },
  { weight: 1, arbitrary: freezeSender },
  { weight: 1, arbitrary: webhook },
  { weight: 1, arbitrary: disk },
  { weight: 1, arbitrary: clock },
  { weight: 4, arbitrary: owner },
];

const mailboxIs = fc
  .constantFrom(...(Object.keys(MAILBOX_BEHAVIOURS) as MailboxBehaviour[]))
  .map((name) => new Step(`the mailbox is: ${name}`, (site) => site.mailbox?.behave(name)));
const mailboxBack = fc.constant(new Step('the mailbox is: fine', (site) => site.mailbox?.behave('fine')));
const idle = fc
  .boolean()
  .map((can) => new Step(`the mailbox ${can ? 'has' : 'lacks'} IDLE`, (site) => site.mailbox?.listen(can)));
const lost = fc.constant(new Step('the connection to the mailbox is lost', (site) => site.mailbox?.lose()));
const rebuilt = fc.constant(new Step('the mailbox is built anew', (site) => site.mailbox?.rebuild()));
const lands = fc
  .constantFrom('INBOX' as const, 'any' as const, ...LANDINGS)
  .map((where) => new Step(`mails land: ${where}`, (site) => site.mailbox?.land(where)));
const mailProgram = fc
  .tuple(
    fc.constantFrom<MailProgramDeed>(
      'reply',
      'reply',
      'mail',
      'forward',
      'to Junk',
      'to Junk',
      'to Junk, unread',
      'to the inbox',
      'to the inbox',
      'away',
    ),
    visitor,
  )
  .map(
    ([deed, pick]) => new Step(`her mail program: ${deed} ${pick}`, (site) => site.mailProgram?.(deed, pick)),
  );

const MAILBOX = [
  { weight: 3, arbitrary: mailboxIs },
  { weight: 3, arbitrary: mailboxBack },
  { weight: 1, arbitrary: idle },
  { weight: 1, arbitrary: lost },
  { weight: 1, arbitrary: rebuilt },
  { weight: 4, arbitrary: lands },
  { weight: 8, arbitrary: mailProgram },
];

const silence = fc
  .constantFrom(
    20 * MINUTE,
    HOUR,
    HOUR,
    3 * HOUR,
    3 * HOUR,
    5 * HOUR,
    10 * HOUR,
    15 * HOUR,
    15 * HOUR,
    62 * HOUR,
  )
  .map((ms) => new Step(`${span(ms)} pass`, (site) => site.advance(ms)));
const ordinary = sends(
  fc.constantFrom(LEAD, LEAD, LEAD, LEAD, SPAM, SPAM, 'unmailable', SAME),
  fc.constantFrom<Way>('there and back', 'there and back', 'there and back', 'lost after'),
);
const lasts = fc.constantFrom(20 * MINUTE, 3 * HOUR, 3 * HOUR, DAY, 62 * HOUR);
/** Somebody mends it in the end; meanwhile the story goes on. */
const trouble = fc
  .tuple(
    fc.oneof(
      fc.constantFrom<[string, (site: Site) => void, (site: Site) => void]>(
        ['the disk is full', (site) => site.disk(true), (site) => site.disk(false)],
        ["the webhook doesn't work", (site) => site.webhook(false), (site) => site.webhook(true)],
        ['the clock is an hour ahead', (site) => site.setClock(HOUR), (site) => site.setClock(0)],
        ['the clock is a day behind', (site) => site.setClock(-DAY), (site) => site.setClock(0)],
      ),
      fc
        .constantFrom('any' as const, ...(Object.keys(BEHAVIOURS) as BehaviourName[]))
        .map((name): [string, (site: Site) => void, (site: Site) => void] => [
          `the mail server is: ${name}`,
          (site) => site.mailServer(name),
          (site) => site.mailServer('fine'),
        ]),
    ),
    lasts,
  )
  .map(
    ([[text, begins, ends], ms]) =>
      new Step(`${text} for ${span(ms)}`, (site) => {
        begins(site);
        site.later(ms, () => ends(site));
      }),
  );
/** As a service manager does. */
const killed = fc.tuple(fc.constantFrom(0, 0, 1), fc.nat(12), fc.constantFrom(10 * SECOND, 3 * HOUR)).map(
  ([which, events, ms]) =>
    new Step(
      `server ${which} is killed after ${events} events and started ${span(ms)} later`,
      async (site) => {
        for (let count = 0; count < events; count += 1) await site.world.step(site.world.now() + 10 * MINUTE);
        site.crash(which);
        await site.advance(ms);
        await site.start(which);
      },
    ),
);
const update = fc.constant(
  new Step('server 0 is updated', async (site) => {
    await site.stop(0);
    await site.advance(20 * SECOND);
    await site.start(0);
  }),
);

/** As after an update, when the one before has ended. */
const alone = fc.constant(
  new Step('server 0 goes on alone', async (site) => {
    await site.start(0);
    for (const other of [1, 2]) await site.stop(other);
  }),
);

const long = fc.oneof(
  { weight: 24, arbitrary: ordinary },
  { weight: 2, arbitrary: again },
  { weight: 1, arbitrary: many },
  { weight: 20, arbitrary: silence },
  { weight: 6, arbitrary: does('answered', 'answered', 'answered', 'spam', 'not spam', 'erase') },
  { weight: 1, arbitrary: does('requeue', 'again') },
  { weight: 3, arbitrary: trouble },
  { weight: 1, arbitrary: killed },
  { weight: 1, arbitrary: freeze },
  { weight: 1, arbitrary: update },
  { weight: 2, arbitrary: start },
  { weight: 1, arbitrary: stop },
  { weight: 3, arbitrary: alone },
);

const mailPerHour = fc.constantFrom(12, 30, 200);
const densePlan = (imap: boolean): fc.Arbitrary<Plan> =>
  fc.record({ mailPerHour }).map((plan) => ({
    ...plan,
    digest: 'off',
    reminders: 'on',
    quietHours: '22-07',
    retentionDays: 'off',
    imap,
  }));
const STORIES: Record<Kind, { step: fc.Arbitrary<Step>; plan: fc.Arbitrary<Plan> }> = {
  dense: { step: fc.oneof(...DENSE), plan: densePlan(false) },
  mailbox: { step: fc.oneof(...DENSE, ...MAILBOX), plan: densePlan(true) },
  long: {
    step: long,
    plan: fc.record({
      mailPerHour,
      digest: fc.constantFrom('off', 'daily 07:00', 'daily 16:30', 'weekly monday 07:00'),
      reminders: fc.constantFrom('on', 'on', 'off'),
      quietHours: fc.constantFrom('22-07', 'off'),
      retentionDays: fc.constantFrom('off', '2', '7', '30'),
      imap: fc.constant(false),
    }),
  },
};

export type Played = Awaited<ReturnType<typeof play>>;

async function play(chance: number, plan: Plan, commands: Iterable<Step>) {
  const site = await openSite(chance, plan);
  const { world } = site;
  const startedAt = world.now();
  try {
    await site.start(0);
    await fc.asyncModelRun(() => ({ model: {}, real: site }), commands);
    await site.heal();
    return {
      hash: world.hash(),
      ms: world.now() - startedAt,
      events: world.events(),
      mails: site.mails(),
      messages: site.rows().length,
      servers: site.servers(),
    };
  } catch (error) {
    if (error instanceof Error) Object.assign(error, { story: world.story() });
    throw error;
  } finally {
    await site.close();
  }
}

/**
 * Plays one seed's story, twice if asked to. If anything is broken, it looks for a shorter one.
 *
 * @param steps the most
 * @param shrinkMs for how long
 */
export async function playSeed(
  seed: number,
  { kind, steps, twice, shrinkMs }: { kind: Kind; steps: number; twice: boolean; shrinkMs: number },
) {
  const { step, plan } = STORIES[kind];
  let played: Played | undefined;
  let story: string[] = [];
  const property = fc.asyncProperty(
    fc.noShrink(fc.nat()),
    plan,
    fc.commands([step], { maxCommands: steps, size: 'max', disableReplayLog: true }),
    async (chance, plan, commands) => {
      try {
        played = await play(chance, plan, commands as Iterable<Step>);
        if (twice) {
          const other = await play(chance, plan, commands as Iterable<Step>);
          if (other.hash !== played.hash) throw new Error('the same seed gave another trace');
        }
      } catch (error) {
        story = (error as { story?: string[] }).story ?? [];
        throw error;
      }
    },
  );
  const run = { seed, numRuns: 1, unbiased: true };
  const first = await fc.check(property, { ...run, endOnFailure: true });
  if (!first.failed) return { played };
  const shorter =
    shrinkMs > 0 ? await fc.check(property, { ...run, interruptAfterTimeLimit: shrinkMs }) : first;
  const details = shorter.counterexample ? shorter : first;
  return {
    failed: {
      seed,
      fault: String(details.errorInstance),
      plan: details.counterexample?.[1],
      steps: String(details.counterexample?.[2]).split(','),
      story,
    },
  };
}
