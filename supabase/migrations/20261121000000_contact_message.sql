-- The server and the desk run these files when they start, `supabase db push` runs them on a Supabase project, in
-- any order. So each file leaves alone what is there already, and records itself for the server. What a released
-- file makes is never changed, only followed. No file names a schema: whoever connects chooses it.

create table if not exists contact_migration (
  name text primary key,
  applied_at timestamptz not null default now()
);

-- Times are milliseconds since 1970.
create table if not exists contact_message (
  -- They begin with the time, and in this order stand oldest first.
  id text collate "C" primary key,
  received_at bigint not null,
  name text not null,
  email text not null,
  message text not null,
  state text not null check (state in ('waiting', 'sent', 'set_aside', 'spam')),
  attempts integer not null default 0,
  next_attempt_at bigint not null,
  failures integer not null default 0,
  first_failure_at bigint,
  last_error text,
  sent_at bigint,
  message_id text not null unique,
  content_hash text not null,
  idempotency_key text unique
);
create index if not exists contact_message_waiting on contact_message (received_at, id) where state = 'waiting';
create index if not exists contact_message_due on contact_message (next_attempt_at) where state = 'waiting';
create index if not exists contact_message_content on contact_message (content_hash, received_at);
create index if not exists contact_message_sent on contact_message (sent_at) where state = 'sent';

-- One row, written to find out whether the database still takes writes.
create table if not exists store_check (
  id integer primary key,
  checked_at bigint not null
);

-- How often something happened on a day: `day` is YYYY-MM-DD.
create table if not exists daily_count (
  day text not null,
  what text not null,
  count integer not null,
  primary key (day, what)
);

-- When something that is done now and then was done last.
create table if not exists last_done (
  what text primary key,
  at bigint not null
);

-- What rate-limiter-flexible counts. Unlogged: a crash may forget it, and it costs the disk next to nothing.
create unlogged table if not exists rate_limit (
  key varchar(255) primary key,
  points integer not null default 0,
  expire bigint
);
create index if not exists rate_limit_expire on rate_limit (expire);

-- A Supabase project serves every table of this schema to the world unless it is locked. The server connects
-- as the tables' owner, whom this does not touch.
alter table contact_migration enable row level security;
alter table contact_message enable row level security;
alter table store_check enable row level security;
alter table daily_count enable row level security;
alter table last_done enable row level security;
alter table rate_limit enable row level security;

do $$
declare
  outsider text;
begin
  for outsider in select rolname from pg_roles where rolname in ('anon', 'authenticated') loop
    execute format(
      'revoke all on contact_migration, contact_message, store_check, daily_count, last_done, rate_limit from %I',
      outsider
    );
  end loop;
end
$$;

insert into contact_migration (name) values ('20261121000000_contact_message') on conflict do nothing;
