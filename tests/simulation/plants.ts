import { Buffer } from 'node:buffer';
import { registerHooks } from 'node:module';
import type { Kind } from './story.ts';

/** Faults as somebody might make them, each a change of the source at its loading. `kind` is that of the stories that show it. */
export const PLANTS = {
  'a lost lease check': {
    file: 'messages/claims.ts',
    from: '.where(isTime(from))',
    to: '',
  },
  'a lease that ends too early': {
    file: 'outbox/sending.ts',
    from: 'export const LEASE_MS = 120_000;',
    to: 'export const LEASE_MS = 5_000;',
  },
  'a mark that is swallowed': {
    file: 'outbox/sending.ts',
    from: 'await mark(claimed, () => store.markSent(claimed, time()))',
    to: 'await Promise.resolve(true)',
  },
  'a mark by whoever comes late': {
    file: 'messages/claims.ts',
    from: "eb('attempts', '=', attempts)",
    to: "eb('attempts', '>=', attempts)",
  },
  'a retry that never comes': {
    file: 'outbox/outbox.ts',
    from: 'if (started && !stopped) cancelTurn',
    to: 'if (started && !stopped && ms === 0) cancelTurn',
  },
  'a budget that counts only what is in hand': {
    file: 'messages/claims.ts',
    from: 'sentCount(queue, now, mailsPerHour)}) +',
    to: 'sql.lit(0)}) +',
  },
  'an erased message that is mailed': {
    file: 'messages/states.ts',
    from: "if ('id' in which) return eb('id', '=', which.id);",
    to: "if ('id' in which) return eb.and([eb('id', '=', which.id), eb('state', '!=', 'waiting')]);",
  },
  'an alert that is never sent': {
    file: 'outbox/trouble.ts',
    from: 'for (const trouble of mailTroubles)',
    to: 'for (const trouble of mailTroubles.slice(9))',
  },
  'a Message-ID made anew at each try': {
    file: 'mail/notification.ts',
    from: 'messageId,\n    // Groups',
    to: "messageId: messageId.replace('@', '.' + message.attempts + '@'),\n    // Groups",
  },
  'an Idempotency-Key that is ignored': {
    file: 'messages/store.ts',
    from: 'idempotency_key: idempotencyKey ?',
    to: 'idempotency_key: undefined ?',
  },
  'a recovery that makes nothing due': {
    file: 'outbox/sending.ts',
    from: 'await store.makeDue(MAIL_SERVER_FAULTS, time());',
    to: '',
  },
  'an answer before the message is stored': {
    file: 'messages/insert.ts',
    from: 'const inserted = await write(',
    to: 'const inserted = row.message.length % 4 === 0 ? { rows: [{ id: row.id }] } : await write(',
  },
  'a fault’s label that nobody knows': {
    file: 'mail/faults.ts',
    from: 'kind} $',
    to: 'kind}: $',
  },
  'a lead that vanishes into spam of the same words': {
    file: 'messages/insert.ts',
    from: "= 'spam' or state <> 'spam')",
    to: "= 'spam' or 1 = 1)",
  },
  'a double submit that is noticed for a second': {
    file: 'messages/store.ts',
    from: 'const DOUBLE_SUBMIT_MS = 10 * 60_000;',
    to: 'const DOUBLE_SUBMIT_MS = 10 * 60;',
  },
  'an Idempotency-Key that swallows other words': {
    file: 'messages/store.ts',
    from: 'digest(JSON.stringify([idempotencyKey, content]))',
    to: 'digest(idempotencyKey)',
  },
  'a job that two servers do': {
    kind: 'long',
    file: 'messages/last-done.ts',
    from: "eb('last_done.at', '=', from ?? NEVER)",
    to: "eb('last_done.at', '>', NEVER + (from ?? 0) * 0)",
  },
  'a note of a job that is made after the work': {
    kind: 'long',
    file: 'outbox/schedule.ts',
    from: 'await job.run({ now, dueAt, lastAt: seen }, stopNow.signal);',
    to: 'await moveNote(database, what, { from: now, to: seen ?? 0 }); await job.run({ now, dueAt, lastAt: seen }, stopNow.signal); await moveNote(database, what, { from: seen ?? 0, to: now });',
  },
  'a job that is not tried again': {
    kind: 'long',
    file: 'outbox/schedule.ts',
    from: 'await moveNote(database, what, { from: now, to: seen ?? 0 });',
    to: '',
  },
  'a list of suspected spam that leaves out the last hours': {
    kind: 'long',
    file: 'outbox/jobs.ts',
    from: 'now - STORED_WITHIN_MS];',
    to: 'now - 300 * STORED_WITHIN_MS];',
  },
  'a reminder for an answered message': {
    kind: 'long',
    file: 'messages/message.ts',
    from: 'isUnanswered} and state',
    to: 'sql`1 = 1`} and state',
  },
  'a reminder that nobody notes': {
    kind: 'long',
    file: 'messages/states.ts',
    from: 'set({ reminded_at: at })',
    to: 'set({ reminded_at: null })',
  },
  'a reminder that is not tried again': {
    kind: 'long',
    file: 'outbox/reminders.ts',
    from: 'await setReminded(database, id, null);',
    to: '',
  },
  'a purge that spares the oldest': {
    kind: 'long',
    file: 'outbox/jobs.ts',
    from: 'const which = { receivedBefore: now - retentionDays * DAY_MS };',
    to: 'const which = { receivedBefore: now - (retentionDays + 1) * DAY_MS };',
  },
  'a purge that takes younger ones': {
    kind: 'long',
    file: 'outbox/jobs.ts',
    from: 'const which = { receivedBefore: now - retentionDays * DAY_MS };',
    to: 'const which = { receivedBefore: now - (retentionDays - 1) * DAY_MS };',
  },
  'an answer to somebody else that counts': {
    kind: 'mailbox',
    file: 'mailbox/headers.ts',
    from: 'if (!includes(mail.answers, message.messageId.slice(1, -1))) return false;',
    to: '',
  },
  'a forwarded mail that counts as an answer': {
    kind: 'mailbox',
    file: 'mailbox/headers.ts',
    from: 'REPLY.test(mail.subject.trim()) && ',
    to: '',
  },
  'a connection to the mailbox that is never closed': {
    kind: 'mailbox',
    file: 'mailbox/watch.ts',
    from: 'opened?.close();',
    to: '',
  },
  'a mail that came twice and counts as moved': {
    kind: 'mailbox',
    file: 'mailbox/look.ts',
    from: 'if (from && (await isIn(from, message))) continue;',
    to: '',
  },
  'a login that may last for ever': {
    kind: 'mailbox',
    file: 'mailbox/watch.ts',
    from: 'AbortSignal.any([stopNow.signal, late.signal])',
    to: 'stopNow.signal',
  },
  'a mailbox that every server watches': {
    kind: 'mailbox',
    file: 'mailbox/watch.ts',
    from: 'if (!(await isOurs(now))) return disconnect();',
    to: '',
  },
} as const satisfies Record<string, { kind?: Kind; file: string; from: string; to: string }>;
export type Plant = keyof typeof PLANTS;

/** Call before anything of the server is imported. */
export function plant(name: Plant): void {
  const { file, from, to } = PLANTS[name];
  let isPlanted = false;
  registerHooks({
    load(url, context, nextLoad) {
      const loaded = nextLoad(url, context);
      if (!url.endsWith(`/${file}`)) return loaded;
      const source = Buffer.from(loaded.source as Uint8Array).toString();
      if (!source.includes(from)) throw new Error(`${file} no longer has what the fault replaces: ${from}`);
      isPlanted = true;
      return { ...loaded, source: source.replace(from, to) };
    },
  });
  process.once('exit', () => {
    if (!isPlanted) throw new Error(`${file} was never loaded`);
  });
}
