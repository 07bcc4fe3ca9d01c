-- The weight that the case of a result had when the result came; 1 for a result without a case.
alter table eval_results add weight double precision not null default 1;
-- Sums of weights, kept like the other totals. `score_sum` is of scores with their weights.
alter table eval_runs
  add counted_weight numeric not null default 0,
  add passed_weight numeric not null default 0,
  add scored_weight numeric not null default 0;
update eval_runs set counted_weight = total - skipped, passed_weight = passed, scored_weight = scored where status = 'running';
