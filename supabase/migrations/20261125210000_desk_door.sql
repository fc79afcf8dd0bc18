-- Who is let in at /desk. desk/door alone reads and writes both tables; no backup holds a row of them.

-- The links that open the desk, once each. What a link says is made of `id` and a key that is not in the database.
create table if not exists desk_link (
  id text primary key,
  made_at bigint not null,
  -- 'machine', 'stranger', or the id of a device that was let in before.
  asked_by text not null,
  -- The address it is mailed to; none if a terminal shows it.
  mailed_to text,
  -- Whether that becomes the owner's address once the link is opened.
  is_new_address integer not null default 0,
  mails integer not null default 0,
  mailed_at bigint,
  used_at bigint
);

create table if not exists desk_device (
  id text primary key,
  cookie_hash text not null unique,
  name text not null,
  -- When its last link was opened.
  made_at bigint not null,
  used_at bigint not null,
  -- When it was signed out.
  ended_at bigint
);

do $$
declare
  own text;
  outsider text;
begin
  foreach own in array array['desk_link', 'desk_device'] loop
    execute format('alter table %I enable row level security', own);
    for outsider in select rolname from pg_roles where rolname in ('anon', 'authenticated') loop
      execute format('revoke all on %I from %I', own, outsider);
    end loop;
  end loop;
end
$$;

insert into compatible_migration (name) values ('20261125210000_desk_door') on conflict do nothing;
