-- When the owner was reminded that somebody waits for an answer. Null: she wasn't.
alter table contact_message add column if not exists reminded_at bigint;

-- How many reminders went out in a day, without looking at the table.
create index if not exists contact_message_reminded on contact_message (reminded_at) where reminded_at is not null;

insert into compatible_migration (name) values ('20261122000002_reminded') on conflict do nothing;
