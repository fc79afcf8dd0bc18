import { parseArgs } from 'node:util';
import fc from 'fast-check';
import { type Machine, type OwnersDeed, openMachine } from './machine.ts';
import { BEHAVIOURS, type BehaviourName } from './mail-server.ts';

/**
 * Plays stories made up by chance, and says in JSON what came of them. A story that breaks a promise ends the run.
 *
 *   node tests/simulation/simulate.ts --seed 7 --seeds 1
 */
const { values } = parseArgs({
  options: {
    /** The first one; the others follow it. */
    seed: { type: 'string', default: '1' },
    seeds: { type: 'string', default: '1' },
    /** The most of a story. */
    steps: { type: 'string', default: '60' },
  },
});

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

class Step implements fc.AsyncCommand<object, Machine> {
  readonly text: string;
  readonly deed: (machine: Machine) => unknown;

  constructor(text: string, deed: (machine: Machine) => unknown) {
    this.text = text;
    this.deed = deed;
  }

  check = () => true;
  toString = () => this.text;

  async run(_model: object, machine: Machine): Promise<void> {
    await this.deed(machine);
    await machine.world.settle();
    machine.check();
  }
}

/** Two servers are enough for every conflict; a third comes now and then. */
const slot = fc.constantFrom(0, 0, 0, 0, 1, 1, 1, 2);
const visitor = (number: number, isKeyed: boolean) => ({
  words: `a lead ${number}`,
  email: `visitor-${number}@example.org`,
  address: `198.51.${(number >> 8) % 256}.${number % 256}`,
  key: isKeyed ? `key-${number}` : undefined,
});

const send = fc
  .record({ keyed: fc.boolean(), heard: fc.boolean() })
  .map(
    ({ keyed, heard }) =>
      new Step('a visitor sends', (machine) => machine.visit(visitor(machine.visitors.length, keyed), heard)),
  );
/** What the page does after a failure, and people who press twice. */
const again = fc.tuple(fc.nat(999), fc.boolean()).map(
  ([pick, heard]) =>
    new Step(`visitor ${pick} sends the same again`, async (machine) => {
      const one = machine.visitors[pick % Math.max(1, machine.visitors.length)];
      if (one) await machine.again(one, heard);
    }),
);
const many = fc.constantFrom(3, 12, 24).map(
  (count) =>
    new Step(`${count} visitors send at once`, async (machine) => {
      for (let index = 0; index < count; index += 1)
        await machine.visit(visitor(machine.visitors.length, true), true);
    }),
);
const pass = fc
  .constantFrom(SECOND, 5 * SECOND, 15 * SECOND, 40 * SECOND, 100 * SECOND, 3 * MINUTE, 20 * MINUTE, 3 * HOUR)
  .map((ms) => new Step(`${ms / SECOND} s pass`, (machine) => machine.advance(ms)));
const mailServer = fc
  .constantFrom<BehaviourName>('fine', 'fine', 'fine', ...(Object.keys(BEHAVIOURS) as BehaviourName[]))
  .map((name) => new Step(`the mail server is: ${name}`, (machine) => machine.mailServer(name)));
/** After so many events, which may be in the middle of anything. */
const crash = fc.tuple(slot, fc.nat(12)).map(
  ([which, events]) =>
    new Step(`server ${which} is killed after ${events} events`, async (machine) => {
      const { world } = machine;
      for (let count = 0; count < events; count += 1) await world.step(world.now() + MINUTE);
      machine.crash(which);
    }),
);
const start = slot.map((which) => new Step(`server ${which} starts`, (machine) => machine.start(which)));
const stop = slot.map((which) => new Step(`server ${which} is stopped`, (machine) => machine.stop(which)));
const freeze = fc
  .tuple(slot, fc.constantFrom(30 * SECOND, 130 * SECOND, HOUR))
  .map(
    ([which, ms]) =>
      new Step(`server ${which} is frozen for ${ms / SECOND} s`, (machine) => machine.freeze(which, ms)),
  );
const disk = fc
  .boolean()
  .map((isFull) => new Step(`the disk is ${isFull ? 'full' : 'empty'}`, (machine) => machine.disk(isFull)));
const clock = fc
  .constantFrom(-3_650 * DAY, -DAY, -HOUR, 0, 0, 0, MINUTE, HOUR, DAY, 3_650 * DAY)
  .map((by) => new Step(`the clock is set by ${by / MINUTE} min`, (machine) => machine.setClock(by)));
const owner = fc
  .tuple(fc.constantFrom<OwnersDeed>('requeue', 'spam', 'not spam', 'erase'), fc.nat(999))
  .map(([deed, pick]) => new Step(`the owner: ${deed} ${pick}`, (machine) => machine.owner(deed, pick)));

/** How often each kind of step comes. */
const step = fc.oneof(
  { weight: 14, arbitrary: send },
  { weight: 6, arbitrary: again },
  { weight: 2, arbitrary: many },
  { weight: 14, arbitrary: pass },
  { weight: 8, arbitrary: mailServer },
  { weight: 3, arbitrary: crash },
  { weight: 5, arbitrary: start },
  { weight: 1, arbitrary: stop },
  { weight: 2, arbitrary: freeze },
  { weight: 1, arbitrary: disk },
  { weight: 1, arbitrary: clock },
  { weight: 3, arbitrary: owner },
);

const total = { stories: 0, hours: 0, messages: 0 };
let story: string[] = [];

async function play(seed: number, mailPerHour: number, commands: Iterable<Step>): Promise<string> {
  const machine = await openMachine(seed, mailPerHour);
  const { world } = machine;
  story = world.story;
  const startedAt = world.now();
  try {
    await machine.start(0);
    await fc.asyncModelRun(() => ({ model: {}, real: machine }), commands);
    await machine.heal();
    total.stories += 1;
    total.hours += Math.round((world.now() - startedAt) / HOUR);
    total.messages += machine.rows().length;
    return world.hash();
  } finally {
    machine.close();
  }
}

const first = Number(values.seed);
let failed: object | undefined;
for (let seed = first; seed < first + Number(values.seeds) && !failed; seed += 1) {
  const property = fc.asyncProperty(
    fc.noShrink(fc.nat()),
    fc.constantFrom(12, 30, 200),
    fc.commands([step], { maxCommands: Number(values.steps), size: 'max', disableReplayLog: true }),
    async (chance, mailPerHour, commands) => {
      const steps = commands as Iterable<Step>;
      const hash = await play(chance, mailPerHour, steps);
      if (seed === first && (await play(chance, mailPerHour, steps)) !== hash)
        throw new Error('the same seed gave another trace');
    },
  );
  const details = await fc.check(property, {
    seed,
    numRuns: 1,
    unbiased: true,
    interruptAfterTimeLimit: 60_000,
  });
  if (!details.failed) continue;
  const steps = String(details.counterexample?.[2]).split(',');
  failed = { seed, fault: String(details.errorInstance), steps, story: story.slice(-60) };
}
process.stdout.write(JSON.stringify({ ...total, failed }));
