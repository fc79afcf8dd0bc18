import fc from 'fast-check';
import { BEHAVIOURS, type BehaviourName } from './mail-server.ts';
import { openSite, type Plan, SAME, type Site } from './site.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const MOST_STEPS = 60;

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
    site.check();
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
const way = fc.constantFrom(
  'there and back' as const,
  'there and back' as const,
  'lost before' as const,
  'lost after' as const,
);
const words = fc.constantFrom('a lead', 'a lead', 'a lead', 'a lead', 'unmailable', SAME);

function span(ms: number): string {
  if (ms % DAY === 0) return `${ms / DAY} d`;
  if (ms % HOUR === 0) return `${ms / HOUR} h`;
  return ms % MINUTE === 0 ? `${ms / MINUTE} min` : `${ms / SECOND} s`;
}

const send = fc.record({ way, words, keyed: fc.boolean() }).map(
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

/** What the page does after a failure, and people who press twice. */
const again = fc.tuple(visitor, way).map(
  ([pick, way]) =>
    new Step(`visitor ${pick} sends the same again – ${way}`, async (site) => {
      const one = site.visitors[pick % Math.max(1, site.visitors.length)];
      if (one) await site.again(one, way);
    }),
);

const many = fc.constantFrom(3, 12, 24).map(
  (count) =>
    new Step(`${count} visitors send at once`, async (site) => {
      for (let index = 0; index < count; index += 1) {
        const number = site.visitors.length;
        const one = {
          words: `a lead ${number}`,
          email: `visitor-${number}@example.org`,
          address: addressOf(number),
          key: `key-${number}`,
        };
        await site.visit(one, 'there and back');
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
const owner = fc
  .tuple(
    fc.constantFrom(
      'requeue' as const,
      'again' as const,
      'spam' as const,
      'not spam' as const,
      'answered' as const,
      'erase' as const,
    ),
    visitor,
  )
  .map(([deed, pick]) => new Step(`the owner: ${deed} ${pick}`, (site) => site.owner(deed, pick)));

/** How often each kind of step comes. */
const steps = fc.oneof(
  { weight: 12, arbitrary: send },
  { weight: 6, arbitrary: again },
  { weight: 2, arbitrary: many },
  { weight: 10, arbitrary: pass },
  { weight: 5, arbitrary: mailServer },
  { weight: 4, arbitrary: mailServerBack },
  { weight: 1, arbitrary: outage },
  { weight: 2, arbitrary: crash },
  { weight: 1, arbitrary: stop },
  { weight: 4, arbitrary: start },
  { weight: 2, arbitrary: freeze },
  { weight: 1, arbitrary: webhook },
  { weight: 1, arbitrary: disk },
  { weight: 1, arbitrary: clock },
  { weight: 4, arbitrary: owner },
);

const plan: fc.Arbitrary<Plan> = fc.record({
  mailPerHour: fc.constantFrom(12, 30, 200),
  notices: fc.boolean(),
});

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
 * @param shrinkMs for how long
 */
export async function playSeed(seed: number, { twice, shrinkMs }: { twice: boolean; shrinkMs: number }) {
  let played: Played | undefined;
  let story: string[] = [];
  const property = fc.asyncProperty(
    fc.noShrink(fc.nat()),
    plan,
    fc.commands([steps], { maxCommands: MOST_STEPS, size: 'max', disableReplayLog: true }),
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
