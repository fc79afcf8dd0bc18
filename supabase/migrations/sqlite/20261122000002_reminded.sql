-- As on Postgres, without an "if not exists" that SQLite doesn't know here.
alter table contact_message add column reminded_at integer;

create index if not exists contact_message_reminded on contact_message (reminded_at) where reminded_at is not null;

insert into compatible_migration (name) values ('20261122000002_reminded');
