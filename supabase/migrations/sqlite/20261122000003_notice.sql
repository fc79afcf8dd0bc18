-- As on Postgres.
create table contact_notice (
  id text primary key references contact_message (id) on delete cascade,
  received_at integer not null,
  state text not null check (state in ('waiting', 'sent', 'set_aside', 'spam')),
  attempts integer not null default 0,
  next_attempt_at integer not null,
  failures integer not null default 0,
  first_failure_at integer,
  last_error text,
  sent_at integer,
  sent_before integer not null default 0
) strict;
create index contact_notice_next on contact_notice (sent_before, received_at, id, next_attempt_at)
  where state = 'waiting';
create index contact_notice_due on contact_notice (state, next_attempt_at);
create index contact_notice_sent on contact_notice (sent_at) where state = 'sent';

insert into compatible_migration (name) values ('20261122000003_notice');
