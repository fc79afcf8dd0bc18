-- When the owner sent a mail that may be an answer: nobody can tell for certain. Null: she didn't.
alter table contact_message add column if not exists perhaps_answered_at bigint;

insert into compatible_migration (name) values ('20261123020000_perhaps_answered') on conflict do nothing;
