-- As on Postgres, without an "if not exists" that SQLite doesn't know here.
alter table contact_message add column held_for text;
alter table contact_message add column judged_at integer;
update contact_message set held_for = 'trap' where state = 'spam' and attempts = 0;

create index if not exists contact_message_judged on contact_message (judged_at) where judged_at is not null;
create index if not exists contact_message_answered on contact_message (answered_at) where answered_at > 0;

insert into compatible_migration (name) values ('20261122000001_suspicion');
