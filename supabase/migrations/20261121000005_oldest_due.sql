-- The oldest message that is due is found in the order of this index, without looking at the table.

create index if not exists contact_message_oldest_due on contact_message (received_at, id, next_attempt_at)
  where state = 'waiting';
drop index if exists contact_message_waiting;

insert into compatible_migration (name) values ('20261121000005_oldest_due') on conflict do nothing;
