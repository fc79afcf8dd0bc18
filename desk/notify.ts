import type { Command } from 'commander';
import { classifyMailError, describeFault } from '../mail/faults.ts';
import { postNotice, testNotice } from '../mail/notice.ts';
import { machineClock } from '../messages/clock.ts';
import { type Held, heldNotices } from '../messages/look.ts';
import { requeueNotices } from '../messages/states.ts';
import type { NotifySetting } from '../settings/settings.ts';
import type { Desk } from './desk.ts';
import { Failed } from './failures.ts';
import { count, json, write } from './terminal.ts';

const SEND_MS = 30_000;

type Options = { test?: true; again?: true; json?: true };

export function addNotify(program: Command, desk: Desk): void {
  program
    .command('notify')
    .description('whether messages also reach you the second way, NOTIFY_WEBHOOK_URL')
    .option('--test', 'send a test')
    .option('--again', 'send again what was set aside')
    .action(async ({ test, again, json: asJson }: Options) => {
      const { notify } = desk.settings();
      if (!notify) throw new Failed('There is no second way: NOTIFY_WEBHOOK_URL isn’t set.');
      const host = hostOf(notify);
      const now = Date.now();
      if (test) {
        await postNotice(notify, testNotice(now), machineClock, AbortSignal.timeout(SEND_MS)).catch(
          (error: unknown) => {
            throw new Failed(
              `The test wasn’t taken: ${describeFault(classifyMailError(error).label, host)}.`,
            );
          },
        );
        return write(asJson ? json({ to: host, sent: true }) : `${host} has taken the test.\n`);
      }
      const database = await desk.database();
      if (again) {
        const requeued = await requeueNotices(database, now);
        return write(asJson ? json({ requeued }) : `${count(requeued, 'message')} queued for ${host}.\n`);
      }
      const held = await heldNotices(database);
      const { waiting, setAside } = held;
      write(
        asJson
          ? json({ to: host, waiting: waiting.count, setAside: setAside.count })
          : `${describeHeld(notify, held)}\n`,
      );
    });
}

/** Without the rest of the address, which may be secret. */
const hostOf = ({ url }: NotifySetting): string => new URL(url).host;

/** How messages fare on the second way, in a sentence or two. */
export function describeHeld(
  notify: NotifySetting,
  { waiting, setAside }: Record<'waiting' | 'setAside', Held>,
) {
  const host = hostOf(notify);
  const part = ({ count: number, fault }: Held, how: string) => {
    const why = fault ? `: ${describeFault(fault, host)}` : '';
    return number === 0 ? [] : [`${count(number, 'message')} ${number === 1 ? 'is' : 'are'} ${how}${why}.`];
  };
  const parts = [...part(setAside, 'set aside'), ...part(waiting, 'waiting to go there')];
  return [`New messages also go to ${host}.`, ...parts].join(' ');
}
