-- As on Postgres, without an "if not exists" that SQLite doesn't know here.
alter table contact_message add column seen_at integer;
alter table contact_message add column listed_at integer;

update contact_message set seen_at = received_at,
  listed_at = case when held_for is not null and received_at
    < (select at - 60000 from last_done where what = 'suspected spam') then received_at end;

create index if not exists contact_message_seen on contact_message (seen_at);
create index if not exists contact_message_unlisted on contact_message (id)
  where held_for is not null and listed_at is null;

insert into compatible_migration (name) values ('20261123010000_seen_and_listed');
