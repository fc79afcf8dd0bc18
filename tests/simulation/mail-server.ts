import type { Mail, Mailer } from '../../mail/mail.ts';
import type { Process, World } from './world.ts';

type Shape = { code: string; responseCode?: number; command?: string };
/** What a mail server does: whether the mail is taken, how long that takes, and what nodemailer then throws. */
type Behaviour = { takes: boolean; ms: number; throws?: Shape };

const SLOWEST_MS = 30_000;

/** Every way for a mail to fail that mail/faults.ts tells apart, as nodemailer throws it. */
export const BEHAVIOURS = {
  fine: { takes: true, ms: 300 },
  slow: { takes: true, ms: 25_000 },
  'no answer to the mail': { takes: true, ms: SLOWEST_MS, throws: { code: 'ETIMEDOUT', command: 'DATA' } },
  'cut after the mail': { takes: true, ms: 500, throws: { code: 'ECONNECTION', command: 'DATA' } },
  'nobody there': { takes: false, ms: 20, throws: { code: 'ESOCKET', command: 'CONN' } },
  'no name': { takes: false, ms: 50, throws: { code: 'EDNS', command: 'CONN' } },
  silent: { takes: false, ms: SLOWEST_MS, throws: { code: 'ETIMEDOUT', command: 'CONN' } },
  'cut in between': { takes: false, ms: 400, throws: { code: 'ECONNECTION', command: 'MAIL FROM' } },
  'greets with 421': {
    takes: false,
    ms: 100,
    throws: { code: 'EPROTOCOL', responseCode: 421, command: 'CONN' },
  },
  'no TLS': { takes: false, ms: 100, throws: { code: 'ETLS', command: 'STARTTLS' } },
  'login later': {
    takes: false,
    ms: 200,
    throws: { code: 'EAUTH', responseCode: 454, command: 'AUTH PLAIN' },
  },
  'login refused': {
    takes: false,
    ms: 200,
    throws: { code: 'EAUTH', responseCode: 535, command: 'AUTH PLAIN' },
  },
  'sender refused': {
    takes: false,
    ms: 300,
    throws: { code: 'EENVELOPE', responseCode: 550, command: 'MAIL FROM' },
  },
  'recipient later': {
    takes: false,
    ms: 300,
    throws: { code: 'EENVELOPE', responseCode: 451, command: 'RCPT TO' },
  },
  'recipient refused': {
    takes: false,
    ms: 300,
    throws: { code: 'EENVELOPE', responseCode: 550, command: 'RCPT TO' },
  },
  'content later': {
    takes: false,
    ms: 600,
    throws: { code: 'EMESSAGE', responseCode: 452, command: 'DATA' },
  },
  'content refused': {
    takes: false,
    ms: 600,
    throws: { code: 'EMESSAGE', responseCode: 554, command: 'DATA' },
  },
  /** It takes a byte now and then, so only the outbox ends it. */
  endless: { takes: false, ms: Number.POSITIVE_INFINITY },
} as const satisfies Record<string, Behaviour>;
export type BehaviourName = keyof typeof BEHAVIOURS;

/** Sent by a process. `answer` is what it learned, once it did. */
export type Sending = {
  id: string;
  messageId: string;
  process: Process;
  at: number;
  taken: boolean;
  answer?: 'taken' | 'refused' | 'failed';
  answeredAt?: number;
};

/** A mail server that behaves as it's told, for all processes. */
export function createMailServer(world: World, behaviourFor: (mail: Mail) => BehaviourName) {
  const sendings: Sending[] = [];
  const network: Process = { name: 'network', bornAt: 0, isDead: false, frozenUntil: 0 };

  function send(process: Process, mail: Mail, signal: AbortSignal, onSend: (sending: Sending) => void) {
    const sending: Sending = {
      id: mail.id,
      messageId: mail.messageId,
      process,
      at: world.now(),
      taken: false,
    };
    const name = behaviourFor(mail);
    const { takes, ms, throws }: Behaviour = BEHAVIOURS[name];
    onSend(sending);
    sendings.push(sending);
    return new Promise<void>((resolve, reject) => {
      const answer = (error?: Shape): void => {
        signal.removeEventListener('abort', abort);
        sending.answeredAt = world.now();
        const isRefused = error?.responseCode && error.responseCode >= 550;
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
        world.note(`the mail server has ${mail.messageId}`);
      });
    });
  }
  return {
    sendings,
    mailerOf: (process: Process, onSend: (sending: Sending) => void): Mailer => ({
      send: (mail, signal) => send(process, mail, signal, onSend),
      destination: 'mail.test',
      close: () => undefined,
    }),
  };
}
