import { setTimeout as wait } from 'node:timers/promises';
import { openTab, type TraceEvent, withBrowser } from './browser.ts';
import { row, spread } from './table.ts';

const SLOWER = 4;
/** True once all islands are hydrated. The length check is for a tab that's still empty. */
const ALIVE = `(() => { const islands = [...document.querySelectorAll('[data-island]')];
  return islands.length > 0 && islands.every(({ dataset }) => 'hydrated' in dataset); })()`;

/** Hydration, and the delay after a tap or a key press, with the CPU slowed down four times. */
export async function mainThread(url: string, runs: number): Promise<void> {
  const ran: number[] = [];
  const interactions: number[] = [];
  for (let i = 0; i < runs; i += 1) {
    await withBrowser(async (port) => {
      const tab = await openTab(port);
      await tab.slowDown(SLOWER);
      await tab.startTracing();
      await tab.goTo(url);
      await tab.until(ALIVE);
      await wait(500);
      ran.push(longestTask(await tab.stopTracing()) / 1000);
      tab.close();
    });
    interactions.push(await withBrowser((port) => slowestInteraction(port, url, i)));
  }
  row(`hydration's longest task, ${SLOWER}x slower`, `${spread(ran)} ms (wanted: below 50)`, ran);
  row(
    `slowest interaction, ${SLOWER}x slower`,
    `${spread(interactions)} ms (wanted: below 100)`,
    interactions,
  );
}

/** In µs, on the page's main thread, from when the last script is evaluated: that's the one with the islands. */
function longestTask(events: TraceEvent[]): number {
  // V8 doesn't report them in order.
  const evaluations = events.filter(({ name }) => name === 'v8.evaluateModule').sort((a, b) => a.ts - b.ts);
  const last = evaluations.at(-1);
  if (!last) throw new Error('no script was run');
  const tasks = events.filter(
    ({ name, pid, tid, ts, dur = 0 }) =>
      /RunTask$/.test(name) && pid === last.pid && tid === last.tid && ts + dur >= last.ts,
  );
  return Math.max(...tasks.map(({ tdur = 0 }) => tdur));
}

/** Opens and closes the menu, then fills in the form and sends it to the real function. */
async function slowestInteraction(port: number, url: string, run: number): Promise<number> {
  const tab = await openTab(port);
  await tab.slowDown(SLOWER);
  await tab.goTo(url);
  await tab.until(ALIVE);
  await tab.evaluate(`window.slowest = 0;
    new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) window.slowest = Math.max(window.slowest, duration);
    }).observe({ type: 'event', durationThreshold: 16 })`);
  await tab.click('header [popovertarget]');
  await tab.click('[popover]:popover-open a[href="#lets-map-your-blueprint"]');
  for (const [name, text] of [
    ['name', 'Sam'],
    ['email', 'sam@example.com'],
    ['message', `Orders wait, ${run}.`],
  ] as const) {
    await tab.click(`form [name=${name}]`);
    await tab.type(text);
  }
  await tab.click('form [type=submit]');
  await tab.until('document.querySelector("[data-island=toasts]").textContent !== ""');
  await wait(500);
  const slowest = await tab.evaluate<number>('window.slowest');
  tab.close();
  return slowest;
}
