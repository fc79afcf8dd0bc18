-- Where the function runs on Supabase, nothing runs between two requests. So the database has it look once a
-- minute for mails that wait, by two extensions that every project can have; a Postgres without them is left
-- as it is. The job does nothing until both secrets are in the vault (docs/deploy.md):
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
    where address.name = 'contact_form_url' and secret.name = 'contact_form_sweep_secret'
  $job$);
end
$$;

insert into contact_migration (name) values ('20261121000001_sweep') on conflict do nothing;
