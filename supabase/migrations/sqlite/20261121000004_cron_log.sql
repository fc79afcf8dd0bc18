-- SQLite has no cron.
insert into compatible_migration (name) values ('20261121000004_cron_log');
