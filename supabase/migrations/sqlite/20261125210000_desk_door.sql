-- Who is let in at /desk, as on Postgres.

create table if not exists desk_link (
  id text primary key,
  made_at integer not null,
  asked_by text not null,
  mailed_to text,
  is_new_address integer not null default 0,
  mails integer not null default 0,
  mailed_at integer,
  used_at integer
) strict;

create table if not exists desk_device (
  id text primary key,
  cookie_hash text not null unique,
  name text not null,
  made_at integer not null,
  used_at integer not null,
  ended_at integer
) strict;

insert or ignore into compatible_migration (name) values ('20261125210000_desk_door');
