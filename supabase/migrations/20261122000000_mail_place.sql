-- Where the owner's mailbox has the mail of a message: inbox, elsewhere, junk, moved (to Junk, by her) or nowhere.
-- Null: nobody has looked.
alter table contact_message add column if not exists mail_place text;

create index if not exists contact_message_astray on contact_message (received_at)
  where mail_place in ('junk', 'nowhere');

-- Up to which mail each folder has been read: inbox, junk and sent.
create table if not exists mail_folder (
  role text primary key,
  -- Its name and its UIDVALIDITY: the number means nothing in another.
  folder text not null,
  next_uid bigint not null
);

alter table mail_folder enable row level security;

do $$
declare
  outsider text;
begin
  for outsider in select rolname from pg_roles where rolname in ('anon', 'authenticated') loop
    execute format('revoke all on mail_folder from %I', outsider);
  end loop;
end
$$;

insert into compatible_migration (name) values ('20261122000000_mail_place') on conflict do nothing;
