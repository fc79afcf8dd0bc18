import type { Mail, Mailer } from '../../mail/mail.ts';
import type { Process, World } from './world.ts';

type Shape = { code: string; responseCode?: number; command?: string };
/** What a mail server does: whether the mail is taken, how long that takes, and what nodemailer then throws. */
type Behaviour = { takes: boolean; ms: number; throws?: Shape };

const SLOWEST_MS = 30_000;

const fails = (ms: number, code: string, command: string, responseCode?: number): Behaviour => ({
  takes: false,
  ms,
  throws: { code, command, ...(responseCode && { responseCode }) },
});

/** Every way for a mail to fail that mail/faults.ts tells apart, as nodemailer throws it. */
export const BEHAVIOURS = {
  fine: { takes: true, ms: 300 },
  slow: { takes: true, ms: 25_000 },
  'no answer to the mail': { ...fails(SLOWEST_MS, 'ETIMEDOUT', 'DATA'), takes: true },
  'cut after the mail': { ...fails(500, 'ECONNECTION', 'DATA'), takes: true },
  'nobody there': fails(20, 'ESOCKET', 'CONN'),
  'no name': fails(50, 'EDNS', 'CONN'),
  silent: fails(SLOWEST_MS, 'ETIMEDOUT', 'CONN'),
  'cut in between': fails(400, 'ECONNECTION', 'MAIL FROM'),
  'greets with 421': fails(100, 'EPROTOCOL', 'CONN', 421),
  'no TLS': fails(100, 'ETLS', 'STARTTLS'),
  'login later': fails(200, 'EAUTH', 'AUTH PLAIN', 454),
  'login refused': fails(200, 'EAUTH', 'AUTH PLAIN', 535),
  'sender refused': fails(300, 'EENVELOPE', 'MAIL FROM', 550),
  'recipient later': fails(300, 'EENVELOPE', 'RCPT TO', 451),
  'recipient refused': fails(300, 'EENVELOPE', 'RCPT TO', 550),
  'content later': fails(600, 'EMESSAGE', 'DATA', 452),
  'content refused': fails(600, 'EMESSAGE', 'DATA', 554),
  /** It takes a byte now and then, so only the sender's patience ends it. */
  endless: { takes: false, ms: Number.POSITIVE_INFINITY },
} as const satisfies Record<string, Behaviour>;
export type BehaviourName = keyof typeof BEHAVIOURS;

/** Sent by a process. `answer` is what it learned, once it did. */
export type Sending = {
  mail: Mail;
  process: Process;
  at: number;
  taken: boolean;
  answer?: 'taken' | 'refused' | 'failed';
  /** It failed by the settings' fault, which counts from the message's arrival; another fault counts from its own. */
  isSetup?: boolean;
  /** No other mail would have fared better. */
  isServers?: boolean;
  answeredAt?: number;
};

export type MailServer = ReturnType<typeof createMailServer>;

/** A mail server that behaves as it's told, for all processes. */
export function createMailServer(
  world: World,
  behaviourFor: (mail: Mail) => BehaviourName,
  deliver: (mail: Mail) => void = () => undefined,
) {
  /** By the mails' ids. */
  const sendings = new Map<string, Sending[]>();
  let last: Sending | undefined;
  let taken = 0;
  const network: Process = { name: 'network', bornAt: 0, isDead: false, frozenUntil: 0 };

  function send(process: Process, mail: Mail, signal: AbortSignal, onSend: (sending: Sending) => void) {
    const sending: Sending = { mail, process, at: world.now(), taken: false };
    const name = behaviourFor(mail);
    const { takes, ms, throws }: Behaviour = BEHAVIOURS[name];
    onSend(sending);
    last = sending;
    sendings.set(mail.id, [...of(mail.id), sending]);
    return new Promise<void>((resolve, reject) => {
      const answer = (error?: Shape): void => {
        signal.removeEventListener('abort', abort);
        sending.answeredAt = world.now();
        const isRefused = error?.responseCode && error.responseCode >= 550;
        sending.isSetup = /^(login|sender|no TLS)/.test(name);
        sending.isServers =
          error !== undefined && /^(login refused|sender|no|silent)/.test(name) && error.code !== 'EABORT';
        sending.answer = error ? (isRefused ? 'refused' : 'failed') : 'taken';
        world.note(`${process.name}: mail ${mail.id.slice(-6)} ${error ? name : 'taken'}`);
        if (error) reject(Object.assign(new Error('the mail server'), error));
        else resolve();
      };
      let stop = () => {};
      const abort = (): void => {
        stop();
        answer({ code: 'EABORT' });
      };
      if (signal.aborted) return abort();
      signal.addEventListener('abort', abort);
      if (!Number.isFinite(ms)) return;
      const took = 2 * Math.ceil((ms / 2) * (0.5 + world.random()));
      // What has left the machine arrives, whatever becomes of the process; its first half is the connection.
      world.after(network, took / 2, () => {
        if (process.isDead || signal.aborted) return;
        stop = world.after(process, took / 2, () => answer(throws));
        if (!takes) return;
        sending.taken = true;
        taken += 1;
        world.note(`the mail server has ${mail.messageId}`);
        deliver(mail);
      });
    });
  }
  function of(id: string): readonly Sending[] {
    return sendings.get(id) ?? [];
  }

  return {
    /** Of the mail with that id, the first one first. */
    of,
    forget: (id: string) => sendings.delete(id),
    last: () => last,
    taken: () => taken,
    mailerOf: (process: Process, onSend: (sending: Sending) => void): Mailer => ({
      send: (mail, signal) => send(process, mail, signal, onSend),
      destination: 'mail.test',
      close: () => undefined,
    }),
  };
}
