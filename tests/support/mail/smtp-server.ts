import { EventEmitter, once } from 'node:events';
import { buffer } from 'node:stream/consumers';
import PostalMime, { type Email } from 'postal-mime';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { freePort } from '../network/free-port.ts';

type Step = 'auth' | 'mail' | 'recipient' | 'content';

type ReceivedMail = { from: string; to: string[]; raw: string; parsed: Email };

export type TestSmtpServer = Awaited<ReturnType<typeof startSmtpServer>>;

/** What the visitor in a mail wrote, if it's one line. */
export const textOf = ({ parsed }: ReceivedMail) => /\n\n(.*)\n\n--/.exec(parsed.text ?? '')?.[1] ?? '';

type Fault = { code: number | 'hang'; containing?: string | undefined };

/** A real SMTP server on a free loopback port that keeps the mails it gets and fails on demand. */
export async function startSmtpServer(options: SMTPServerOptions = {}) {
  const received: ReceivedMail[] = [];
  const faults = new Map<Step, Fault>();
  const arrivals = new EventEmitter().setMaxListeners(0);
  let hanging: (() => void)[] = [];

  const answer = (step: Step, callback: (error?: Error | null) => void) => {
    const code = faults.get(step)?.code;
    callback(typeof code === 'number' ? reply(code) : null);
  };

  // A closed server can't be reused.
  const make = () =>
    new SMTPServer({
      // Its own certificate is self-signed, which our mailer rightly refuses.
      disabledCommands: ['STARTTLS'],
      disableReverseLookup: true,
      authOptional: true,
      allowInsecureAuth: true,
      closeTimeout: 100,
      onAuth: (_auth, _session, callback) => answer('auth', (error) => callback(error, { user: 'somebody' })),
      onMailFrom: (_address, _session, callback) => answer('mail', callback),
      onRcptTo: (_address, _session, callback) => answer('recipient', callback),
      async onData(stream, { envelope: { mailFrom, rcptTo } }, callback) {
        // If the client left partway, there's nobody to answer.
        const bytes = await buffer(stream).catch(() => undefined);
        if (!bytes) return;
        const raw = bytes.toString('latin1');
        const parsed = await PostalMime.parse(bytes);
        const { code, containing = '' } = faults.get('content') ?? {};
        const how = (parsed.text ?? '').includes(containing) ? code : undefined;
        if (typeof how === 'number') return callback(reply(how));
        const accept = () => {
          const to = rcptTo.map(({ address }) => address);
          received.push({ from: mailFrom ? mailFrom.address : '', to, raw, parsed });
          callback();
          arrivals.emit('mail');
        };
        if (how === 'hang') hanging.push(accept);
        else accept();
      },
      ...options,
    }).on('error', () => undefined);
  let server = make();

  // It needs the same one when it comes back.
  const port = await freePort();
  const listen = () =>
    new Promise<void>((resolve, reject) => {
      server.server.once('error', reject);
      server.listen(port, '127.0.0.1', resolve);
    });
  const close = () => new Promise<void>((resolve) => server.close(() => resolve()));
  await listen();

  return {
    port,
    url: `smtp://127.0.0.1:${port}`,
    /** Every mail that was answered 250, in order of arrival. */
    received,
    async receives(count: number) {
      while (received.length < count) await once(arrivals, 'mail');
      return received;
    },
    /** Answers this code at this step. With `containing`, only to mails that contain it (content step only). */
    failAt: (step: Step, code: number, containing?: string) => void faults.set(step, { code, containing }),
    holding: () => hanging.length,
    /** Takes the mail and says nothing until `acceptAll`. With `containing`, only mails that contain it. */
    hangAtContent: (containing?: string) => void faults.set('content', { code: 'hang', containing }),
    /** Ends every scripted fault; hanging mails get their answer. */
    acceptAll() {
      faults.clear();
      for (const accept of hanging) accept();
      hanging = [];
    },
    goDown: close,
    comeBack() {
      server = make();
      return listen();
    },
    close,
  };
}

function reply(code: number): Error {
  return Object.assign(new Error(`scripted answer ${code}`), { responseCode: code });
}
