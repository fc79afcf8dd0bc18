-- How many messages a message's client had sent within the hour before. Whoever sent none is mailed first.
alter table contact_message add column if not exists sent_before integer not null default 0;

-- The next message to be mailed is found in the order of this index, without looking at the table.
create index if not exists contact_message_next on contact_message (sent_before, received_at, id, next_attempt_at)
  where state = 'waiting';
drop index if exists contact_message_oldest_due;

insert into compatible_migration (name) values ('20261121000006_sent_before') on conflict do nothing;
