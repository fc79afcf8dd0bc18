-- Before the schema, to tables of version 0.4: what it can't do by itself on SQLite, which has no `add column if not exists`.

drop index if exists contact_message_astray;
drop index if exists contact_message_due;
drop index if exists contact_message_judged;
drop index if exists contact_message_answered;
drop index if exists contact_message_unlisted;
alter table contact_message add column opened_at integer;
alter table contact_message drop column mail_place;
alter table contact_message drop column perhaps_answered_at;
update contact_message set opened_at = coalesce(sent_at, listed_at, judged_at)
  where coalesce(sent_at, listed_at, judged_at) is not null;
update contact_message set answered_at = received_at where answered_at = 0;
drop table if exists contact_notice;
drop table if exists daily_count;
drop table if exists mail_folder;
drop table if exists store_check;
drop table if exists kysely_migration;
