-- No version since 0.2 has read or written these.
drop table if exists contact_notice;
drop table if exists daily_count;

insert into compatible_migration (name) values ('20261125000000_unused_tables') on conflict do nothing;
