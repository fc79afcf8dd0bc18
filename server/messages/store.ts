import { createHash, randomBytes } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';
import { type ContactMessage, eachField, FIELD_NAMES, FIELDS } from '../../contract/contact-message.ts';
import { MINUTE } from '../../contract/time.ts';
import { LONGEST_TOPIC_LINE } from '../../contract/topics.ts';
import {
  claim,
  giveBack,
  mailsOfLastHour,
  makeDue,
  markFailed,
  markSent,
  nextDueAt,
  renew,
  setAside,
} from './claims.ts';
import type { Database } from './database.ts';
import { insertOnce } from './insert.ts';
import { countUndelivered, failingSince, hasMessage, untriedSince } from './queries.ts';
import type { Sign } from './suspicion.ts';
import { type NewMessage, smallChange, UNTOUCHED } from './table.ts';

export type Store = ReturnType<typeof createStore>;

/** Pressing the button again this soon means the same message. */
const DOUBLE_SUBMIT_MS = 10 * MINUTE;

/** A code point takes up to four. */
const LONGEST_MESSAGE_BYTES = 4 * (FIELDS.message.max + LONGEST_TOPIC_LINE);

type NewOptions = {
  now: number;
  /** Signs of spam; with any, it's kept as spam and not mailed. */
  heldFor?: readonly Sign[];
  idempotencyKey?: string | undefined;
  /** How many messages its client sent in the hour before. */
  sentBefore?: number;
};

type Options = {
  /** The part of a Message-ID after the @. */
  mailDomain: string;
};

export function createStore(database: Database, { mailDomain }: Options) {
  const { db, engine, write, replyHours } = database;
  const insert = insertOnce(database);
  const queue = { db, engine, write, replyHours };

  return {
    /**
     * Returns once the message is on disk. The same message again returns the first one's id, and releases it if it was
     * held and this one isn't. Different words under a known Idempotency-Key are a separate message, so reusing or
     * guessing a key loses nothing.
     */
    async add(message: ContactMessage, options: NewOptions): Promise<{ id: string; duplicate: boolean }> {
      return insert(newRow(message, options), DOUBLE_SUBMIT_MS);
    },

    claim: claim.bind(undefined, queue),
    renew: renew.bind(undefined, queue),
    markSent: markSent.bind(undefined, queue),
    markFailed: markFailed.bind(undefined, queue),
    giveBack: giveBack.bind(undefined, queue),
    setAside: setAside.bind(undefined, queue),
    makeDue: makeDue.bind(undefined, queue),
    nextDueAt: nextDueAt.bind(undefined, queue),
    mailsOfLastHour: mailsOfLastHour.bind(undefined, queue),
    has: (id: string) => hasMessage(database, id),
    counts: () => countUndelivered(database),
    failingSince: (time: number, after?: number) => failingSince(database, time, after),
    untriedSince: (time: number) => untriedSince(database, time),

    /**
     * Fails if there's no room for the longest message a visitor may write. `checkWritable` changes one small row in
     * place, which can still work on a full disk. Nobody sees the test message.
     */
    async checkRoom(now: number): Promise<void> {
      const text = randomBytes(LONGEST_MESSAGE_BYTES * 0.75).toString('base64');
      const row = newRow({ ...eachField(() => ''), message: text }, { now, heldFor: ['trap'] });
      const insert = db.insertInto('contact_message').values(row);
      if (database.engine === 'sqlite') {
        const forget = db.deleteFrom('contact_message').where('id', '=', row.id);
        const changes = [insert.compile(), forget.compile()];
        // Committed, since SQLite writes nothing to disk before that.
        await database.transact(() => {
          for (const { sql: text, parameters } of changes) database.sqlite.prepare(text).run(...parameters);
        });
        return;
      }
      const transaction = await db.startTransaction().execute();
      try {
        await transaction.executeQuery(insert);
      } finally {
        await transaction.rollback().execute();
      }
    },

    /** Fails if the disk takes no more writes. */
    async checkWritable(now: number): Promise<void> {
      await write(smallChange(db, now));
    },

    /** Closes the database too. */
    close: (): Promise<void> => database.close(),
  };

  function newRow(
    message: ContactMessage,
    { now, heldFor = [], idempotencyKey, sentBefore = 0 }: NewOptions,
  ): NewMessage {
    const id = uuidv7();
    const content = digest(contentOf(message));
    return {
      ...UNTOUCHED,
      ...eachField((field) => message[field] ?? ''),
      id,
      received_at: now,
      state: heldFor.length > 0 ? 'spam' : 'waiting',
      next_attempt_at: now,
      message_id: `<${id}@${mailDomain}>`,
      content_hash: content,
      idempotency_key: idempotencyKey ? digest(JSON.stringify([idempotencyKey, content])) : null,
      sent_before: sentBefore,
      held_for: heldFor.length > 0 ? heldFor.join(' ') : null,
    };
  }
}

/**
 * What makes two messages the same. An optional field counts, under its name, only if it's filled in, so a message from
 * before the field existed still matches.
 */
function contentOf(message: ContactMessage): string {
  return JSON.stringify(
    FIELD_NAMES.flatMap((field) => {
      const value = message[field] ?? '';
      if (FIELDS[field].required) return [value];
      return value === '' ? [] : [field, value];
    }),
  );
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}
