import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A call's body, as in https://resend.com/docs/api-reference/emails/send-email. */
export type ResendMail = {
  from: string;
  to: string[];
  reply_to?: string[];
  subject: string;
  text: string;
  html: string;
  headers: Record<string, string>;
};

type Fault =
  | { status: number; name?: string; message?: string; retryAfter?: string; body?: string }
  | 'hang'
  | 'cut'
  | 'taken and cut';

export type TestResendServer = {
  url: string;
  /** Each mail that would have gone out, in order. */
  sent: ResendMail[];
  /** Every call, including refused and repeated ones. */
  calls: () => number;
  /** Resolves when this many mails have gone out. */
  sends: (count: number) => Promise<ResendMail[]>;
  /** The next `times` calls fail this way. */
  failNext: (fault: Fault, times?: number) => void;
  close: () => Promise<void>;
};

export const RESEND_KEY = 're_of_this_test';

/** A server that answers as Resend documents it: keys, fields, idempotency, and faults on demand. */
export async function startResendServer(): Promise<TestResendServer> {
  const sent: ResendMail[] = [];
  const taken = new Map<string, { body: string; id: string }>();
  const faults: Fault[] = [];
  let waiting: { count: number; resolve: (mails: ResendMail[]) => void }[] = [];
  let calls = 0;

  const server = createServer(async (request, response) => {
    calls += 1;
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString('utf8');
    const say = (status: number, name: string, message = 'scripted') =>
      response
        .writeHead(status, { 'content-type': 'application/json' })
        .end(JSON.stringify({ statusCode: status, name, message }));

    const fault = faults.shift();
    if (fault === 'hang') return;
    if (fault === 'cut') return void response.destroy();
    if (typeof fault === 'object') {
      const { status, name, message, retryAfter, body: raw } = fault;
      response.writeHead(status, {
        'content-type': 'application/json',
        ...(retryAfter && { 'retry-after': retryAfter }),
        ...(status >= 300 && status < 400 && { location: '/elsewhere' }),
      });
      return void response.end(raw ?? JSON.stringify({ statusCode: status, name, message }));
    }

    if (request.method !== 'POST' || request.url !== '/emails') return void say(404, 'not_found');
    if (!request.headers.authorization) return void say(401, 'missing_api_key');
    if (request.headers.authorization !== `Bearer ${RESEND_KEY}`) return void say(403, 'invalid_api_key');
    if (!request.headers['user-agent']) return void say(403, 'invalid_access');
    const key = String(request.headers['idempotency-key'] ?? '');
    if (key.length < 1 || key.length > 256) return void say(400, 'invalid_idempotency_key');
    const before = taken.get(key);
    if (before && before.body !== body) return void say(409, 'invalid_idempotent_request');
    const id = before?.id ?? crypto.randomUUID();
    if (!before) {
      const mail = JSON.parse(body) as ResendMail;
      if (!mail.from || !mail.to?.length || !mail.subject) return void say(422, 'missing_required_field');
      taken.set(key, { body, id });
      sent.push(mail);
      for (const { count, resolve } of waiting) if (sent.length >= count) resolve(sent);
      waiting = waiting.filter(({ count }) => sent.length < count);
    }
    if (fault === 'taken and cut') return void response.destroy();
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ id }));
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    sent,
    calls: () => calls,
    sends: (count) =>
      new Promise((resolve) => {
        if (sent.length >= count) resolve(sent);
        else waiting.push({ count, resolve });
      }),
    failNext: (fault, times = 1) => void faults.push(...Array<Fault>(times).fill(fault)),
    async close() {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}
