-- The whole schema, as on Postgres. What's there already is left alone.

create table if not exists contact_migration (
  name text primary key,
  applied_at text not null default current_timestamp
) strict;
create table if not exists compatible_migration (
  name text primary key,
  applied_at text not null default current_timestamp
) strict;

create table if not exists contact_message (
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
  idempotency_key text unique,
  sent_before integer not null default 0,
  answered_at integer,
  reminded_at integer,
  seen_at integer,
  listed_at integer,
  opened_at integer,
  held_for text,
  judged_at integer
) strict;
create index if not exists contact_message_content on contact_message (content_hash, received_at);
create index if not exists contact_message_due on contact_message (next_attempt_at) where state = 'waiting';
create index if not exists contact_message_next on contact_message (sent_before, received_at, id, next_attempt_at)
  where state = 'waiting';
create index if not exists contact_message_sent on contact_message (sent_at) where state = 'sent';
create index if not exists contact_message_unsent on contact_message (state, id, received_at) where state <> 'sent';
create index if not exists contact_message_email on contact_message (lower(email));
create index if not exists contact_message_unanswered on contact_message (id, received_at)
  where answered_at is null and state <> 'spam';
create index if not exists contact_message_replied on contact_message (id, answered_at)
  where answered_at is not null;
create index if not exists contact_message_reminded on contact_message (reminded_at) where reminded_at is not null;
create index if not exists contact_message_seen on contact_message (seen_at);
create index if not exists contact_message_unopened on contact_message (received_at)
  where state <> 'sent' and opened_at is null and answered_at is null;
create index if not exists contact_message_untold on contact_message (state, received_at, id, held_for)
  where listed_at is null and opened_at is null and answered_at is null;

create table if not exists last_done (
  what text primary key,
  at integer not null
) strict;

insert into contact_migration (name) values ('20261125120000_schema');
