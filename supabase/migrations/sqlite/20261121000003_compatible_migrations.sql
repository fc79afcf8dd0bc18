-- All tables of SQLite as they were when it came to share these files with Postgres. What an earlier version has
-- made already is left as it is.

create table if not exists contact_migration (
  name text primary key,
  applied_at text not null default current_timestamp
) strict;
create table if not exists compatible_migration (
  name text primary key,
  applied_at text not null default current_timestamp
) strict;

-- Times are milliseconds since 1970.
create table if not exists contact_message (
  -- They begin with the time, and in this order stand oldest first.
  id text primary key,
  received_at integer not null,
  name text not null,
  email text not null,
  message text not null,
  state text not null check (state in ('waiting', 'sent', 'set_aside', 'spam')),
  attempts integer not null default 0,
  next_attempt_at integer not null,
  failures integer not null default 0,
  first_failure_at integer,
  last_error text,
  sent_at integer,
  message_id text not null unique,
  content_hash text not null,
  idempotency_key text unique
) strict;
create index if not exists contact_message_due on contact_message (state, next_attempt_at);
create index if not exists contact_message_content on contact_message (content_hash, received_at);
create index if not exists contact_message_sent on contact_message (sent_at) where state = 'sent';

-- One row, written to find out whether the disk still takes writes.
create table if not exists store_check (
  id integer primary key,
  checked_at integer not null
) strict;

-- How often something happened on a day: `day` is YYYY-MM-DD.
create table if not exists daily_count (
  day text not null,
  what text not null,
  count integer not null,
  primary key (day, what)
) strict;

-- When something that is done now and then was done last.
create table if not exists last_done (
  what text primary key,
  at integer not null
) strict;

-- Where version 0.1.0 looks, so that it can take over a database that a newer version has made.
create table if not exists kysely_migration (name text primary key, timestamp text not null);
insert or ignore into kysely_migration (name, timestamp) values
  ('0001-contact-message', current_timestamp),
  ('0002-daily-count-and-last-done', current_timestamp),
  ('0003-mails-of-the-last-hour', current_timestamp);

insert into compatible_migration (name) values ('20261121000003_compatible_migrations');
