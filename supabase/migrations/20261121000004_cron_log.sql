-- pg_cron keeps a row of each run for ever, which is 27 MB a month for the sweep. A day of them is enough to see
-- whether it runs.

do $$
begin
  if exists (select from pg_proc where oid::regproc::text = 'cron.schedule') then
    perform cron.schedule('contact-form-sweep-log', '23 4 * * *', $job$
      delete from cron.job_run_details run using cron.job job
      where run.jobid = job.jobid and job.jobname like 'contact-form-%'
        -- A run that could not be started has no times.
        and coalesce(run.end_time, run.start_time, '-infinity') < now() - interval '1 day'
    $job$);
  end if;
end
$$;

insert into compatible_migration (name) values ('20261121000004_cron_log') on conflict do nothing;
