-- The hours that the page promised, as on Postgres.

alter table contact_message add column reply_hours integer not null default 24;
drop index contact_message_unanswered;
drop index contact_message_untold;
create index contact_message_unanswered on contact_message (id, received_at, reply_hours)
  where answered_at is null and state <> 'spam';
create index contact_message_untold on contact_message (state, received_at, reply_hours, id, held_for)
  where listed_at is null and opened_at is null and answered_at is null;

insert into compatible_migration (name) values ('20261130010000_reply_hours');
