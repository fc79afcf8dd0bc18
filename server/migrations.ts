import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/**
 * In the order of their names. One that has been released is never changed, only followed: a
 * database remembers which it has seen. Of SQLite alone: those of Postgres are in supabase/migrations.
 */
export const migrations: Record<string, Migration> = {
  '0001-contact-message': {
    async up(db: Kysely<unknown>) {
      await db.schema
        .createTable('contact_message')
        .addColumn('id', 'text', (column) => column.primaryKey())
        .addColumn('received_at', 'integer', (column) => column.notNull())
        .addColumn('name', 'text', (column) => column.notNull())
        .addColumn('email', 'text', (column) => column.notNull())
        .addColumn('message', 'text', (column) => column.notNull())
        .addColumn('state', 'text', (column) =>
          column.notNull().check(sql`state in ('waiting', 'sent', 'set_aside', 'spam')`),
        )
        .addColumn('attempts', 'integer', (column) => column.notNull().defaultTo(0))
        .addColumn('next_attempt_at', 'integer', (column) => column.notNull())
        .addColumn('failures', 'integer', (column) => column.notNull().defaultTo(0))
        .addColumn('first_failure_at', 'integer')
        .addColumn('last_error', 'text')
        .addColumn('sent_at', 'integer')
        .addColumn('message_id', 'text', (column) => column.notNull().unique())
        .addColumn('content_hash', 'text', (column) => column.notNull())
        .addColumn('idempotency_key', 'text', (column) => column.unique())
        .modifyEnd(sql`strict`)
        .execute();
      await db.schema
        .createIndex('contact_message_due')
        .on('contact_message')
        .columns(['state', 'next_attempt_at'])
        .execute();
      await db.schema
        .createIndex('contact_message_content')
        .on('contact_message')
        .columns(['content_hash', 'received_at'])
        .execute();
      // One row, written to find out whether the disk still takes writes.
      await db.schema
        .createTable('store_check')
        .addColumn('id', 'integer', (column) => column.primaryKey())
        .addColumn('checked_at', 'integer', (column) => column.notNull())
        .modifyEnd(sql`strict`)
        .execute();
    },
  },
  '0002-daily-count-and-last-done': {
    async up(db: Kysely<unknown>) {
      await db.schema
        .createTable('daily_count')
        .addColumn('day', 'text', (column) => column.notNull())
        .addColumn('what', 'text', (column) => column.notNull())
        .addColumn('count', 'integer', (column) => column.notNull())
        .addPrimaryKeyConstraint('daily_count_key', ['day', 'what'])
        .modifyEnd(sql`strict`)
        .execute();
      await db.schema
        .createTable('last_done')
        .addColumn('what', 'text', (column) => column.primaryKey())
        .addColumn('at', 'integer', (column) => column.notNull())
        .modifyEnd(sql`strict`)
        .execute();
    },
  },
  '0003-mails-of-the-last-hour': {
    async up(db: Kysely<unknown>) {
      await db.schema
        .createIndex('contact_message_sent')
        .on('contact_message')
        .column('sent_at')
        .where(sql.ref('state'), '=', sql.lit('sent'))
        .execute();
    },
  },
};
