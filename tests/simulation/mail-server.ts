import type { Mail, Mailer } from '../../server/mail/transport.ts';
import type { Process, World } from './world.ts';

type Shape = { code: string; responseCode?: number; command?: string };
/** What a mail server does: whether the mail is taken, how long that takes, and what nodemailer then throws. */
type Behaviour = { takes: boolean; ms: number; throws?: Shape };

const fails = (ms: number, code: string, command: string, responseCode?: number): Behaviour => ({
  takes: false,
  ms,
  throws: { code, command, ...(responseCode && { responseCode }) },
});

/** One for each sort of failure that server/mail/faults.ts knows, and what's taken though nobody hears of it. */
export const BEHAVIOURS = {
  fine: { takes: true, ms: 300 },
  slow: { takes: true, ms: 25_000 },
  'cut after the mail': { ...fails(500, 'ECONNECTION', 'DATA'), takes: true },
  'nobody there': fails(20, 'ESOCKET', 'CONN'),
  'login refused': fails(200, 'EAUTH', 'AUTH PLAIN', 535),
  'content later': fails(600, 'EMESSAGE', 'DATA', 452),
  'content refused': fails(600, 'EMESSAGE', 'DATA', 554),
  /** It takes a byte now and then, so only the sender's patience ends it. */
  endless: { takes: false, ms: Number.POSITIVE_INFINITY },
} as const satisfies Record<string, Behaviour>;
export type BehaviourName = keyof typeof BEHAVIOURS;

/** A mail that a process sent. `answer` is what it learned, once it did; `taken` is the truth. */
export type Sending = {
  mail: Mail;
  process: Process;
  at: number;
  taken: boolean;
  answer?: 'taken' | 'failed';
};

/** Sends a mail through a server that behaves as named; it's noted in `sending` what came of it. */
function send(world: World, name: BehaviourName, sending: Sending, signal: AbortSignal): Promise<void> {
  const { process, mail } = sending;
  const { takes, ms, throws }: Behaviour = BEHAVIOURS[name];
  const network: Process = { name: 'network', bornAt: 0, isDead: false, frozenUntil: 0 };
  return new Promise<void>((resolve, reject) => {
    let callOff = () => {};
    const answer = (error?: Shape): void => {
      signal.removeEventListener('abort', abort);
      sending.answer = error ? 'failed' : 'taken';
      world.note(`${process.name}: mail ${mail.id.slice(-6)} ${error ? name : 'taken'}`);
      if (error) reject(Object.assign(new Error('the mail server'), error));
      else resolve();
    };
    const abort = (): void => {
      callOff();
      answer({ code: 'EABORT' });
    };
    if (signal.aborted) return abort();
    signal.addEventListener('abort', abort);
    if (!Number.isFinite(ms)) return;
    const half = Math.ceil((ms / 2) * (0.5 + world.random()));
    // What has left the machine arrives, whatever becomes of the process; its first half is the connection.
    world.after(network, half, () => {
      if (process.isDead || signal.aborted) return;
      callOff = world.after(process, half, () => answer(throws));
      sending.taken = takes;
    });
  });
}

/** A mailer for a process, through whatever the mail server is just then. */
export function mailerOf(
  world: World,
  process: Process,
  behaviourFor: (mail: Mail) => BehaviourName,
  onSend: (sending: Sending) => void,
): Mailer {
  return {
    send(mail, signal) {
      const sending: Sending = { mail, process, at: world.now(), taken: false };
      onSend(sending);
      return send(world, behaviourFor(mail), sending, signal);
    },
    destination: 'mail.test',
    close: () => undefined,
  };
}
