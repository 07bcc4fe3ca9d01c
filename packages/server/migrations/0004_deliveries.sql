-- One process at a time sends to a webhook: the lease is the webhook's. To take a delivery writes nothing then, and a
-- result that comes under a lease that was lost is refused as a whole.
alter table webhooks
  add lease_token uuid,
  add leased_until timestamptz,
  -- Whether its last attempt took long: slow endpoints share a part of the places in a process.
  add is_slow boolean not null default false;
-- Each record of attempts changes the row, and nothing in it that is indexed.
alter table webhooks set (fillfactor = 70);
alter table deliveries drop column lease_token, drop column leased_until;

-- A test is of no epoch (-1): it is sent to a disabled webhook too, and outlives its being disabled.
update deliveries set epoch = -1 where event = 'ping' and status = 'pending';
drop index deliveries_due;
create index deliveries_due on deliveries (webhook_id, epoch, next_attempt_at, id) where status = 'pending';

-- As before, but not for long in the way of others: a new partition waits for those who read the default one, and all
-- who come later wait behind it. It is made days ahead, and comes again in a minute.
create or replace function make_partitions(parent text, first date, days int) returns void language plpgsql
set lock_timeout = '100ms' as $$
declare
  wanted date;
  name text;
begin
  perform pg_advisory_xact_lock(hashtext('promptreg partitions of ' || parent));
  for wanted in select first + i from generate_series(0, days - 1) i loop
    name := parent || '_' || to_char(wanted, 'YYYYMMDD');
    if to_regclass(name) is null then
      begin
        execute format('create table %I partition of %I for values from (%L) to (%L)', name, parent, wanted, wanted + 1);
      exception when check_violation then
        null; -- rows of that day are in the default partition already and stay there
      end;
    end if;
  end loop;
exception when lock_not_available then
  null;
end $$;

-- Drops one partition whose day is over for longer than its rows are kept, and says whether there was one.
create function drop_partition(parent text, kept_days int) returns boolean language plpgsql
set lock_timeout = '100ms' as $$
declare
  name text;
begin
  select c.relname into name from pg_inherits i join pg_class c on c.oid = i.inhrelid
  where i.inhparent = to_regclass(parent) and c.relname ~ '_\d{8}$'
    and to_date(right(c.relname, 8), 'YYYYMMDD') < clock()::date - kept_days
  order by c.relname limit 1;
  if name is null then
    return false;
  end if;
  execute format('drop table %I', name);
  return true;
exception when lock_not_available then
  return false;
end $$;

-- Wake-ups of the release before, which say it otherwise. What they were for is found by the sweep.
do $$ begin
  if to_regclass('graphile_worker.jobs') is not null then
    perform graphile_worker.complete_jobs(array_agg(id)) from graphile_worker.jobs
    where task_identifier in ('drain', 'sweep');
  end if;
end $$;
