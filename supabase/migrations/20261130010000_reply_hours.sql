-- Within how many hours the page promised an answer when the message came. What came before counts by 24.
alter table contact_message add column if not exists reply_hours bigint not null default 24;

-- What's late is counted in these, without looking at the table.
drop index if exists contact_message_unanswered, contact_message_untold;
create index contact_message_unanswered on contact_message (id, received_at, reply_hours)
  where answered_at is null and state <> 'spam';
create index contact_message_untold on contact_message (state, received_at, reply_hours, id, held_for)
  where listed_at is null and opened_at is null and answered_at is null;

insert into compatible_migration (name) values ('20261130010000_reply_hours') on conflict do nothing;
