import { createServer, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { portOf } from '../network/free-port.ts';

export const SMTP_STEPS = ['greeting', 'ehlo', 'auth', 'mail', 'rcpt', 'data', 'content'] as const;
export type SmtpStep = (typeof SMTP_STEPS)[number] | 'starttls';

/** A reply code, a whole reply, no reply, a connection cut without a word, or the right reply after some milliseconds. */
type SmtpFault = number | string | 'hang' | 'cut' | { lateMs: number };

const REPLIES: Record<SmtpStep, string> = {
  greeting: '220 test.example ready',
  ehlo: '250-test.example\r\n250 AUTH PLAIN',
  starttls: '220 go on',
  auth: '235 welcome',
  mail: '250 fine',
  rcpt: '250 fine',
  data: '354 go on',
  content: '250 taken',
};

/** A server that speaks just enough SMTP, line by line, to fail at any step in any way. */
export async function startScriptedSmtp(fault?: { at: SmtpStep; how: SmtpFault }) {
  const taken: string[] = [];
  const commands: string[] = [];
  const open = new Set<Socket>();

  const server = createServer((socket) => {
    open.add(socket);
    socket.on('close', () => open.delete(socket));
    socket.on('error', () => undefined);
    // What a TLS client sends may look like a line.
    if (fault?.at === 'greeting' && fault.how === 'hang') return;
    let content: string | undefined;

    function reply(step: SmtpStep): void {
      const how = fault?.at === step ? fault.how : undefined;
      if (how === 'hang') return;
      if (how === 'cut') socket.destroy();
      else if (typeof how === 'string') socket.write(`${how}\r\n`);
      else if (typeof how === 'number') socket.write(`${how} scripted answer\r\n`);
      else if (how) setTimeout(right, how.lateMs, step);
      else right(step);
    }

    function right(step: SmtpStep): void {
      socket.write(`${REPLIES[step]}\r\n`);
      if (step === 'data') content = '';
    }

    function line(received: string): void {
      if (content !== undefined) {
        if (received !== '.') {
          content += `${received}\n`;
          return;
        }
        taken.push(content);
        content = undefined;
        reply('content');
        return;
      }
      commands.push(received);
      const verb = received.split(' ', 1)[0]?.toLowerCase().replace('helo', 'ehlo') ?? '';
      if (verb in REPLIES) reply(verb as SmtpStep);
      else socket.write(verb === 'quit' ? '221 bye\r\n' : '250 fine\r\n');
    }

    createInterface(socket)
      .on('error', () => undefined)
      .on('line', line);
    reply('greeting');
  });
  return {
    url: `smtp://user:hunter2@127.0.0.1:${await portOf(server)}`,
    /** Mails read up to the final dot, whatever the reply. */
    taken,
    commands,
    close: () => {
      for (const socket of open) socket.destroy();
      return new Promise<void>((resolve) => void server.close(() => resolve()));
    },
  };
}
