-- What needs the owner of the tables, for a login that may only read and write. Nobody else may call it: it can drop what is there.
create function analyze_table(what regclass, is_alone boolean) returns void language plpgsql as $$
begin
  execute format('analyze %s %s', case when is_alone then 'only' else '' end, what);
end $$;

do $$
declare
  name text;
begin
  foreach name in array array[
    'make_partitions(text, date, int)', 'drop_partition(text, int)', 'analyze_table(regclass, boolean)'
  ] loop
    execute format('alter function %s security definer set search_path = %I, pg_temp', name, current_schema());
    execute format('revoke execute on function %s from public', name);
  end loop;
end $$;
