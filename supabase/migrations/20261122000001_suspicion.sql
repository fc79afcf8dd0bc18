-- The signs of spam for which a message is held back. Null once the owner has said what it is.
alter table contact_message add column if not exists held_for text;

-- When she last said whether it's spam; its state says what. From these rows, and from those she answered, the server
-- learns. It stores nothing else of what it has learned, so erasing a row takes that back too.
alter table contact_message add column if not exists judged_at bigint;

-- So far, only a field that people don't see held messages back. What she marked herself had mostly been mailed.
update contact_message set held_for = 'trap'
  where state = 'spam' and attempts = 0 and held_for is null and judged_at is null;

create index if not exists contact_message_judged on contact_message (judged_at) where judged_at is not null;
create index if not exists contact_message_answered on contact_message (answered_at) where answered_at > 0;

insert into compatible_migration (name) values ('20261122000001_suspicion') on conflict do nothing;
