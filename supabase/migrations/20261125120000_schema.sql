-- The whole schema. The server and the desk run this file when they start, and `supabase db push` runs it on a Supabase
-- project, in any order and perhaps both. So it leaves alone what's there already, and records itself for the server.
-- What a release has made is never changed here: a later file follows. No file names a schema: whoever connects chooses it.

-- Steps that an older version of the program must know. It refuses a database with one that it doesn't know.
create table if not exists contact_migration (
  name text primary key,
  applied_at timestamptz not null default now()
);
-- Steps that an older version can live with, such as an index or a column that may be null.
create table if not exists compatible_migration (
  name text primary key,
  applied_at timestamptz not null default now()
);

-- A database of version 0.4, whose tables have these names already. That version can't work with it afterwards.
do $$
declare
  columns text[] := array(select attname from pg_attribute
    where attrelid = to_regclass('contact_message') and attnum > 0 and not attisdropped);
begin
  if columns = '{}' or 'opened_at' = any (columns) then return; end if;
  if not exists (select from compatible_migration where name = '20261123020000_perhaps_answered') then
    raise exception 'This database is from a version before 0.4. Update it to 0.4 first.';
  end if;
  alter table contact_message add column opened_at bigint,
    drop column if exists mail_place, drop column if exists perhaps_answered_at;
  -- What she was mailed or has judged isn't new to her.
  update contact_message set opened_at = coalesce(sent_at, listed_at, judged_at)
    where coalesce(sent_at, listed_at, judged_at) is not null;
  -- It came before anybody kept track of answers.
  update contact_message set answered_at = received_at where answered_at = 0;
  drop table if exists contact_notice, daily_count, mail_folder, store_check;
  if to_regclass('cron.job') is not null then
    perform cron.unschedule(jobid) from cron.job where jobname = 'contact-form-sweep-log';
  end if;
end
$$;

-- Times are milliseconds since 1970. server/messages/table.ts says what each column means.
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
  idempotency_key text unique,
  sent_before integer not null default 0,
  answered_at bigint,
  reminded_at bigint,
  seen_at bigint,
  listed_at bigint,
  opened_at bigint,
  held_for text,
  judged_at bigint
);
create index if not exists contact_message_content on contact_message (content_hash, received_at);
create index if not exists contact_message_due on contact_message (next_attempt_at) where state = 'waiting';
-- The next message to be mailed is found in the order of this index, without looking at the table.
create index if not exists contact_message_next on contact_message (sent_before, received_at, id, next_attempt_at)
  where state = 'waiting';
create index if not exists contact_message_sent on contact_message (sent_at) where state = 'sent';
create index if not exists contact_message_unsent on contact_message (state, id, received_at) where state <> 'sent';
create index if not exists contact_message_email on contact_message (lower(email));
create index if not exists contact_message_unanswered on contact_message (id, received_at)
  where answered_at is null and state <> 'spam';
create index if not exists contact_message_replied on contact_message (id, answered_at)
  where answered_at is not null;
create index if not exists contact_message_reminded on contact_message (reminded_at) where reminded_at is not null;
create index if not exists contact_message_seen on contact_message (seen_at);
create index if not exists contact_message_unopened on contact_message (received_at)
  where state <> 'sent' and opened_at is null and answered_at is null;
create index if not exists contact_message_untold on contact_message (state, received_at, id, held_for)
  where listed_at is null and opened_at is null and answered_at is null;
-- Nobody asks by these since 0.4.
drop index if exists contact_message_judged, contact_message_answered, contact_message_undelivered,
  contact_message_unlisted;

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

-- A Supabase project serves every table of this schema to the world unless it is locked. The server connects as the
-- tables' owner, whom this does not touch.
do $$
declare
  own text;
  outsider text;
begin
  foreach own in array array['contact_migration', 'compatible_migration', 'contact_message', 'last_done', 'rate_limit'] loop
    execute format('alter table %I enable row level security', own);
    for outsider in select rolname from pg_roles where rolname in ('anon', 'authenticated') loop
      execute format('revoke all on %I from %I', own, outsider);
    end loop;
  end loop;
end
$$;

-- Where the function runs on Supabase, nothing runs between two requests. So the database has it do once a minute what's
-- due, by two extensions that every project can have; a Postgres without them is left as it is. The job calls nobody until
-- both secrets are in the vault (docs/deploy-static.md):
--   contact_form_url           https://….supabase.co
--   contact_form_sweep_secret  what SWEEP_SECRET of the function says
do $$
begin
  if to_regclass('vault.decrypted_secrets') is not null then
    begin
      create extension if not exists pg_cron;
      create extension if not exists pg_net;
    exception when others then
      raise notice 'pg_cron and pg_net could not be switched on: %', sqlerrm;
    end;
  end if;
  if to_regclass('vault.decrypted_secrets') is null
    or not exists (select from pg_proc where oid::regproc::text = 'cron.schedule')
    or not exists (select from pg_proc where oid::regproc::text = 'net.http_post')
  then
    raise notice 'no sweep is set up: pg_cron, pg_net and the vault are not all here';
    return;
  end if;
  perform cron.schedule('contact-form-sweep', '* * * * *', $job$
    select net.http_post(
      url := address.decrypted_secret || '/functions/v1/send-contact-email/sweep',
      headers := jsonb_build_object(
        'content-type', 'application/json',
        'authorization', 'Bearer ' || secret.decrypted_secret
      ),
      body := '{}'::jsonb,
      timeout_milliseconds := 55000
    )
    from vault.decrypted_secrets address, vault.decrypted_secrets secret
    where address.name = 'contact_form_url' and secret.name = 'contact_form_sweep_secret';

    -- pg_cron keeps a row of each run for ever, 27 MB a month. A day of them is enough to see whether it runs. One that
    -- could not be started has no times.
    delete from cron.job_run_details run using cron.job job
    where run.jobid = job.jobid and job.jobname = 'contact-form-sweep'
      and coalesce(run.end_time, run.start_time, '-infinity') < now() - interval '1 day'
  $job$);
end
$$;

insert into contact_migration (name) values ('20261125120000_schema') on conflict do nothing;
