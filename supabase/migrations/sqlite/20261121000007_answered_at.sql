-- As on Postgres, with an update, since SQLite can't drop a default.
alter table contact_message add column answered_at integer;
update contact_message set answered_at = 0 where received_at < unixepoch() * 1000 - 604800000;

create index if not exists contact_message_unanswered on contact_message (id, received_at)
  where answered_at is null and state <> 'spam';

insert into compatible_migration (name) values ('20261121000007_answered_at');
