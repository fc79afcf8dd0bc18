-- What version 0.4 made of a new file.
create table contact_migration (name text primary key, applied_at text not null default current_timestamp) strict;
create table compatible_migration (name text primary key, applied_at text not null default current_timestamp) strict;
create table contact_message (
  id text primary key, received_at integer not null, name text not null, email text not null, message text not null,
  state text not null check (state in ('waiting', 'sent', 'set_aside', 'spam')),
  attempts integer not null default 0, next_attempt_at integer not null,
  failures integer not null default 0, first_failure_at integer, last_error text, sent_at integer,
  message_id text not null unique, content_hash text not null, idempotency_key text unique,
  sent_before integer not null default 0, answered_at integer, mail_place text, held_for text, judged_at integer,
  reminded_at integer, seen_at integer, listed_at integer, perhaps_answered_at integer
) strict;
create index contact_message_due on contact_message (state, next_attempt_at);
create index contact_message_content on contact_message (content_hash, received_at);
create index contact_message_sent on contact_message (sent_at) where state = 'sent';
create index contact_message_next on contact_message (sent_before, received_at, id, next_attempt_at)
  where state = 'waiting';
create index contact_message_unanswered on contact_message (id, received_at)
  where answered_at is null and state <> 'spam';
create index contact_message_astray on contact_message (received_at) where mail_place in ('junk', 'nowhere');
create index contact_message_judged on contact_message (judged_at) where judged_at is not null;
create index contact_message_answered on contact_message (answered_at) where answered_at > 0;
create index contact_message_reminded on contact_message (reminded_at) where reminded_at is not null;
create index contact_message_seen on contact_message (seen_at);
create index contact_message_unlisted on contact_message (id) where held_for is not null and listed_at is null;
create table store_check (id integer primary key, checked_at integer not null) strict;
create table last_done (what text primary key, at integer not null) strict;
create table mail_folder (role text primary key, folder text not null, next_uid integer not null) strict;
create table kysely_migration (name text primary key, timestamp text not null);
insert into compatible_migration (name) values ('20261121000003_compatible_migrations'), ('20261121000004_cron_log'),
  ('20261121000005_oldest_due'), ('20261121000006_sent_before'), ('20261121000007_answered_at'),
  ('20261122000000_mail_place'), ('20261122000001_suspicion'), ('20261122000002_reminded'), ('20261122000003_notice'),
  ('20261123010000_seen_and_listed'), ('20261123020000_perhaps_answered'), ('20261125000000_unused_tables');
insert into kysely_migration values ('0001-contact-message', current_timestamp);
