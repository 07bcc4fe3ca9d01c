-- The totals of a run that ended say of how many cases it has results.
update eval_runs r set summary = summary || jsonb_build_object('cases', (
  select count(distinct case_key) from eval_results e where e.run_id = r.id and e.status <> 'skipped'))
where summary is not null;
