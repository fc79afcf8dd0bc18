-- As on Postgres, without an "if not exists" that SQLite doesn't know here.
alter table contact_message add column perhaps_answered_at integer;

insert into compatible_migration (name) values ('20261123020000_perhaps_answered');
