import { parseArgs } from 'node:util';
import { PLANTS, type Plant, plant } from './plants.ts';

/** Plays stories until the time of the processor is up or one breaks, and says in JSON what came of it. */
const { values } = parseArgs({
  options: {
    /** The first seed; the others follow it. */
    seed: { type: 'string', default: '1' },
    kind: { type: 'string', default: 'dense' },
    /** The most of a story; each kind has its own number. */
    steps: { type: 'string' },
    seeds: { type: 'string', default: 'Infinity' },
    seconds: { type: 'string', default: 'Infinity' },
    plant: { type: 'string' },
    /** How long to look for a shorter story of what broke. */
    shrink: { type: 'string', default: '120' },
  },
});
if (values.plant !== undefined) {
  if (!Object.hasOwn(PLANTS, values.plant)) throw new Error(`No fault is called ${values.plant}`);
  plant(values.plant as Plant);
}
const { KINDS, MOST_STEPS, playSeed } = await import('./story.ts');
const kind = KINDS.find((each) => each === values.kind);
if (!kind) throw new Error(`No kind of story is called ${values.kind}`);

const used = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000_000;
};
let isOver = false;
process.once('SIGTERM', () => {
  isOver = true;
});
const total = { seeds: 0, ms: 0, events: 0, messages: 0, mails: 0, servers: 0 };
let failed: Awaited<ReturnType<typeof playSeed>>['failed'];
while (!failed && !isOver && total.seeds < Number(values.seeds) && used() < Number(values.seconds)) {
  const seed = Number(values.seed) + total.seeds;
  const result = await playSeed(seed, {
    kind,
    steps: Number(values.steps ?? MOST_STEPS[kind]),
    twice: total.seeds % 10 === 0,
    shrinkMs: Number(values.shrink) * 1_000,
  });
  failed = result.failed;
  total.seeds += 1;
  for (const key of ['ms', 'events', 'messages', 'mails', 'servers'] as const)
    total[key] += result.played?.[key] ?? 0;
}
process.stdout.write(JSON.stringify({ ...total, cpuSeconds: used(), failed }));
