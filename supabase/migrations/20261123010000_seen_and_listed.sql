-- When the message was first seen, by a clock that agreed with the days before and after it. Null: not yet.
alter table contact_message add column if not exists seen_at bigint;
-- When the owner read in the daily list that the message is held. Null: not yet.
alter table contact_message add column if not exists listed_at bigint;

update contact_message set seen_at = received_at,
  listed_at = case when held_for is not null and received_at
    < (select at - 60000 from last_done where what = 'suspected spam') then received_at end
  where seen_at is null;

create index if not exists contact_message_seen on contact_message (seen_at);
create index if not exists contact_message_unlisted on contact_message (id)
  where held_for is not null and listed_at is null;

insert into compatible_migration (name) values ('20261123010000_seen_and_listed') on conflict do nothing;
