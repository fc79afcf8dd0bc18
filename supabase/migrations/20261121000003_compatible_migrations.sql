-- Steps that an older version of the program can live with, such as an index or a column with a default. It
-- refuses a database whose contact_migration names a step that it doesn't know, and ignores what stands here.

create table if not exists compatible_migration (
  name text primary key,
  applied_at timestamptz not null default now()
);

alter table compatible_migration enable row level security;

do $$
declare
  outsider text;
begin
  for outsider in select rolname from pg_roles where rolname in ('anon', 'authenticated') loop
    execute format('revoke all on compatible_migration from %I', outsider);
  end loop;
end
$$;

insert into compatible_migration (name) values ('20261121000003_compatible_migrations') on conflict do nothing;
