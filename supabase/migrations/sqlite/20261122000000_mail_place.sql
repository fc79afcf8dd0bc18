-- As on Postgres.
alter table contact_message add column mail_place text;

create index if not exists contact_message_astray on contact_message (received_at)
  where mail_place in ('junk', 'nowhere');

create table if not exists mail_folder (
  role text primary key,
  folder text not null,
  next_uid integer not null
) strict;

insert into compatible_migration (name) values ('20261122000000_mail_place');
