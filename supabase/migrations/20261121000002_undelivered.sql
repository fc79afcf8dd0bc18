-- Readiness and the watch for trouble count what is not delivered, which is little beside what was.

create index if not exists contact_message_undelivered on contact_message (state, received_at) where state <> 'sent';

insert into contact_migration (name) values ('20261121000002_undelivered') on conflict do nothing;
