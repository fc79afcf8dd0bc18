-- When the owner answered. Null: not yet, so the person waits. 0: nobody kept track when it came, so nobody waits.
-- A message that comes from now on has null, also from a server of an older version. The default fills the rows that
-- are there already without writing each of them.
alter table contact_message add column if not exists answered_at bigint default 0;
alter table contact_message alter column answered_at drop default;

-- Those of the last seven days may well wait still.
update contact_message set answered_at = null
  where answered_at = 0 and received_at >= (extract(epoch from now()) * 1000)::bigint - 604800000;

-- Who waits, without looking at everybody who was answered.
create index if not exists contact_message_unanswered on contact_message (id, received_at)
  where answered_at is null and state <> 'spam';

insert into compatible_migration (name) values ('20261121000007_answered_at') on conflict do nothing;
