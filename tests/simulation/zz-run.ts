import { type Plant, plant } from './plants.ts';

const [from, to, p, shrink] = process.argv.slice(2);
if (p && p !== '-') plant(p as Plant);
const { playSeed } = await import('./story.ts');
let n = 0,
  ms = 0;
const t = process.cpuUsage();
for (let s = Number(from); s <= Number(to); s++) {
  const c0 = process.cpuUsage();
  const { failed, played } = await playSeed(s, {
    kind: 'mailbox',
    steps: Number(process.env.STEPS ?? 60),
    twice: false,
    shrinkMs: Number(shrink ?? 0),
  });
  n++;
  ms += played?.ms ?? 0;
  const c = process.cpuUsage(c0);
  if (process.env.V) console.log(s, ((c.user + c.system) / 1e6).toFixed(1), played?.events, played?.ms);
  if (failed) {
    console.log(s, failed.fault, JSON.stringify(failed.plan), failed.steps.join('\n  '));
    if (process.env.T) console.log(failed.story.slice(-Number(process.env.T)).join('\n'));
    if (p && p !== '-') break;
  }
}
const c = process.cpuUsage(t);
console.log(n, 'seeds', (c.user + c.system) / 1e6, 's', ms / 3600000, 'h');
