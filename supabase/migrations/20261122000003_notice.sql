-- A queue of its own for the second way of telling the owner of a message, NOTIFY_WEBHOOK_URL. A message has a row if that
-- was set when it came. The columns mean what they mean in contact_message.
create table if not exists contact_notice (
  id text collate "C" primary key references contact_message (id) on delete cascade,
  received_at bigint not null,
  state text not null check (state in ('waiting', 'sent', 'set_aside', 'spam')),
  attempts integer not null default 0,
  next_attempt_at bigint not null,
  failures integer not null default 0,
  first_failure_at bigint,
  last_error text,
  sent_at bigint,
  sent_before integer not null default 0
);
create index if not exists contact_notice_next on contact_notice (sent_before, received_at, id, next_attempt_at)
  where state = 'waiting';
create index if not exists contact_notice_due on contact_notice (next_attempt_at) where state = 'waiting';
create index if not exists contact_notice_sent on contact_notice (sent_at) where state = 'sent';
create index if not exists contact_notice_undelivered on contact_notice (state, received_at) where state <> 'sent';

alter table contact_notice enable row level security;

do $$
declare
  outsider text;
begin
  for outsider in select rolname from pg_roles where rolname in ('anon', 'authenticated') loop
    execute format('revoke all on contact_notice from %I', outsider);
  end loop;
end
$$;

insert into compatible_migration (name) values ('20261122000003_notice') on conflict do nothing;
